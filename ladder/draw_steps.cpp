// SPDX-License-Identifier: Apache-2.0
#include "ladder/draw_steps.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ladder {

namespace {

std::string row(std::string const& label, std::vector<std::string> const& cells) {
  auto text = fmt::format("{:<12}", label);
  for (auto const& cell : cells) text += fmt::format("{:>6}", cell);
  return text;
}

std::vector<std::string> holds(std::vector<int> const& first) {
  std::vector<std::string> cells;
  for (int place = 0; place < int(first.size()); ++place) {
    bool const alone = first[place] == place;
    cells.push_back(alone ? fmt::to_string(place) : fmt::format("{}-{}", first[place], place));
  }
  return cells;
}

}  // namespace

std::vector<std::string> draw_steps(algorithm_steps const& steps) {
  int places = 0;
  for (auto const& step : steps)
    for (auto const& c : step) places = std::max(places, c.to + 1);
  std::vector<int> first(places);
  for (int place = 0; place < places; ++place) first[place] = place;

  std::vector<std::string> lines{row("place", holds(first))};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    std::vector<std::string> from(places, ".");
    for (auto const& c : steps[i]) {
      from[c.to] = fmt::to_string(c.from);
      first[c.to] = c.first;
    }
    lines.push_back(row(fmt::format("step {} from", i + 1), from));
    lines.push_back(row("  holds", holds(first)));
  }
  return lines;
}

}  // namespace ladder
