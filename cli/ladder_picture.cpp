// SPDX-License-Identifier: Apache-2.0
#include "ladder_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "svg.hpp"

namespace tally::cli {
namespace {

constexpr double title_height = 26, about_height = 22;

// What is above the first row.
double head(picture const& p) {
  return svg_margin + (p.title.empty() ? 0 : title_height) + (p.about.empty() ? 0 : about_height);
}

double left_of(picture const& p) {
  std::size_t longest = 0;
  for (auto const& row : p.rows) longest = std::max(longest, row.label.size());
  return svg_margin + svg_letter * double(longest + 2);
}

double column_of(picture const& p) {
  std::size_t longest = 2;
  for (auto const& row : p.rows)
    for (auto const& cell : row.cells)
      if (!cell.is_dot) longest = std::max(longest, cell.text.size());
  return 12 + svg_letter * double(longest);
}

std::string dot(double x, double y, std::string const& text) {
  return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"><title>{}</title></circle>\n", x,
                     y, text);
}

}  // namespace

double width_of(picture const& p) {
  return std::max({left_of(p) + column_of(p) * double(p.places()) + svg_margin,
                   2 * svg_margin + 10 * double(p.title.size()),
                   2 * svg_margin + svg_letter * double(p.about.size())});
}

double height_of(picture const& p) {
  double height = head(p) + svg_margin;
  for (auto const& row : p.rows) height += row.height;
  return height;
}

std::string svg_of(picture const& p, double top) {
  double const left = left_of(p), column = column_of(p), gap = p.wires ? 0 : 9;
  double const base = p.wires ? -8 : 4;  // of a text in a row
  auto const x = [&](std::size_t place) { return left + column * (double(place) + 0.5); };
  std::string text;
  double y = top + head(p);
  if (!p.title.empty())
    text += svg_text(svg_margin, top + svg_margin + title_height - 10, "title", p.title);
  if (!p.about.empty()) text += svg_text(svg_margin, y - 8, "about", p.about);
  if (p.wires)
    for (std::size_t place = 0; place < p.places(); ++place)
      text += svg_line(x(place), y + p.rows.front().height, x(place),
                       top + height_of(p) - svg_margin, "grid");
  for (auto const& row : p.rows) {
    double const above = y + gap;
    y += row.height;
    text += svg_text(svg_margin, y + (row.arrows.empty() ? base : 4), "about", row.label);
    for (auto const& a : row.arrows)
      text += svg_line(x(std::size_t(a.from)), above, x(std::size_t(a.to)), y - gap - 2, a.style);
    for (std::size_t place = 0; place < row.cells.size(); ++place) {
      auto const& cell = row.cells[place];
      if (cell.text.empty()) continue;
      text += cell.is_dot ? dot(x(place), y, cell.text)
                          : svg_text(x(place), y + base, cell.style, cell.text);
    }
  }
  return text;
}

}  // namespace tally::cli
