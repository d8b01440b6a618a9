// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

namespace simt {

// A copy to shared memory that a lane has started and not yet waited for.
struct pending_copy {
  void* to;
  void const* from;
  std::size_t bytes, zeros;  // the last ones of the bytes are not copied but zero
  void* pc;
};

struct pending_copies {
  std::vector<pending_copy> started;             // since the last commit
  std::deque<std::vector<pending_copy>> groups;  // committed
};

}  // namespace simt
