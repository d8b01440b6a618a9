// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace ladder::squares {

// What the counter of a block's SM showed when the block began and ended.
struct cycles {
  long long begin, end;
};

// A line a block, and what they come to, beside the time between two events: 0 if there is none.
std::vector<std::string> draw_block_times(std::vector<cycles> const& blocks, double event_us);

}  // namespace ladder::squares
