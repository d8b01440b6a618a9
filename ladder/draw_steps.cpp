// SPDX-License-Identifier: Apache-2.0
#include "ladder/draw_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

namespace ladder {

namespace {

std::string row(std::string const& label, std::vector<std::string> const& cells) {
  auto text = fmt::format("{:<12}", label);
  for (auto const& cell : cells) text += fmt::format("{:>6}", cell);
  return text;
}

using range = std::pair<int, int>;  // of the places that a place came from

std::vector<std::string> holds(std::vector<range> const& all) {
  std::vector<std::string> cells;
  for (auto const& [first, last] : all)
    cells.push_back(last < first    ? "none"
                    : first == last ? fmt::to_string(first)
                                    : fmt::format("{}-{}", first, last));
  return cells;
}

// From where each place took in one step; what was only copied in brackets.
std::vector<std::string> sources(std::vector<combined> const& step, std::size_t places) {
  std::vector<std::string> cells(places, ".");
  for (auto const& c : step)
    cells[c.to] = c.copied ? fmt::format("({})", c.from) : fmt::to_string(c.from);
  return cells;
}

// How many steps and applications there are, and how many at most take from one place in one.
std::string summary(algorithm_steps const& steps) {
  std::size_t applications = 0;
  int fan_out = 0;
  for (auto const& step : steps) {
    std::map<int, int> takers;
    for (auto const& c : step) {
      if (c.copied) continue;
      ++applications;
      fan_out = std::max(fan_out, ++takers[c.from]);
    }
  }
  return fmt::format("{} steps, {} applications, fan-out {}", steps.size(), applications, fan_out);
}

}  // namespace

std::vector<std::string> draw_steps(algorithm_steps const& steps) {
  int places = 0;
  for (auto const& step : steps)
    for (auto const& c : step) places = std::max(places, c.to + 1);
  std::vector<range> held;
  for (int place = 0; place < places; ++place) held.emplace_back(place, place);

  std::vector<std::string> lines{row("place", holds(held))};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    for (auto const& c : steps[i]) held[c.to] = {c.first, c.last};
    lines.push_back(row(fmt::format("step {} from", i + 1), sources(steps[i], held.size())));
    lines.push_back(row("  holds", holds(held)));
  }
  lines.push_back(summary(steps));
  return lines;
}

}  // namespace ladder
