// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tally::cli {

// Letters are taken to be this wide: a little more than they are.
constexpr double svg_letter = 7.6, svg_margin = 20;

std::string svg_text(double x, double y, std::string const& style, std::string const& text);
std::string svg_line(double x, double y, double to_x, double to_y, std::string const& style);

}  // namespace tally::cli
