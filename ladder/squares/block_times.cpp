// SPDX-License-Identifier: Apache-2.0
#include "ladder/squares/block_times.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ladder::squares {

std::vector<std::string> draw_block_times(std::vector<cycles> const& blocks, double event_us) {
  std::vector<std::string> lines;
  long long longest = 0;
  cycles all = blocks.front();
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    auto const [begin, end] = blocks[b];
    lines.push_back(
        fmt::format("block {:3}: {:9} cycles, from {} to {}", b, end - begin, begin, end));
    longest = std::max(longest, end - begin);
    all = {std::min(all.begin, begin), std::max(all.end, end)};
  }
  lines.push_back(fmt::format("the longest block: {} cycles of its own SM", longest));
  lines.push_back(
      fmt::format("max(end) - min(begin): {} cycles, but of counters that SMs start "
                  "on their own: no duration",
                  all.end - all.begin));
  lines.push_back(event_us > 0 ? fmt::format("between two events: {:.1f} us", event_us)
                               : "between two events: this machine has no time");
  return lines;
}

}  // namespace ladder::squares
