// SPDX-License-Identifier: Apache-2.0
#include "svg.hpp"

#include <fmt/format.h>

namespace tally::cli {

static std::string escaped(std::string const& text) {
  std::string safe;
  for (char const c : text)
    safe += c == '<' ? "&lt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
  return safe;
}

std::string svg_text(double x, double y, std::string const& style, std::string const& text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\">{}</text>\n", x, y, style,
                     escaped(text));
}

std::string svg_line(double x, double y, double to_x, double to_y, std::string const& style) {
  return fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" class=\"{}\"/>\n", x, y, to_x, to_y,
                     style);
}

}  // namespace tally::cli
