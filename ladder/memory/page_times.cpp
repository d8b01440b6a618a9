// SPDX-License-Identifier: Apache-2.0
#include "ladder/memory/page_times.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ladder::memory {

std::vector<std::string> draw_step_times(std::vector<step_time> const& steps) {
  std::size_t width = 0;
  for (auto const& step : steps) width = std::max(width, step.what.size());
  std::vector<std::string> lines{
      fmt::format("{:{}}  {:>10}  {:>10}", "", width, "host us", "event us")};
  for (auto const& step : steps)
    lines.push_back(
        fmt::format("{:{}}  {:10.1f}  {:10.1f}", step.what, width, step.host_us, step.event_us));
  return lines;
}

}  // namespace ladder::memory
