// SPDX-License-Identifier: Apache-2.0
#include "ladder_steps_svg.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "svg.hpp"

namespace tally::cli {

constexpr double head = 62, row = 34, column = 30, left = svg_margin + 9 * svg_letter;

steps_svg::steps_svg(json const& rung) : rung_(rung), steps_(rung.value("steps", json::array())) {
  for (auto const& step : steps_)
    for (auto const& combined : step) places_ = std::max(places_, combined.at(1).get<int>() + 1);
}

std::string steps_svg::title() const {
  return fmt::format("{}, {} places", rung_.at("title").get<std::string>(), places_);
}

double steps_svg::width() const {
  return std::max(left + column * places_ + svg_margin,
                  2 * svg_margin + 10 * double(title().size()));
}

double steps_svg::height() const {
  return steps_.empty() ? 0 : head + row * double(steps_.size()) + svg_margin;
}

std::string steps_svg::drawn(double top) const {
  if (steps_.empty()) return {};
  auto const x = [](int place) { return left + column * (place + 0.5); };
  auto const y = [&](std::size_t step) { return top + head + row * double(step); };
  auto text = svg_text(svg_margin, top + 20, "title", title());
  for (int place = 0; place < places_; ++place) {
    text += svg_text(x(place), y(0) - 10, "tick", fmt::to_string(place));
    text += svg_line(x(place), y(0), x(place), y(steps_.size()), "grid");
  }
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    text += svg_text(svg_margin, y(i + 1) + 4, "about", fmt::format("step {}", i + 1));
    for (auto const& combined : steps_[i]) {
      int const from = combined.at(0), to = combined.at(1);
      text += svg_line(x(from), y(i), x(to), y(i + 1), "taken");
      text += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"/>\n", x(to), y(i + 1));
    }
  }
  return text;
}

}  // namespace tally::cli
