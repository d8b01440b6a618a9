// SPDX-License-Identifier: Apache-2.0
//
// Drawings of what went from place to place, step by step: of scan networks, and of shuffles.
#pragma once

#include <string>
#include <vector>

#include "number.hpp"

namespace tally::cli {

// Places from left to right; rows downwards.
struct picture {
  struct arrow {
    int from, to;       // from a place of the row above to one of this row
    std::string style;  // "taken", "taken down", "taken copied"; "got", "own"
  };
  struct cell {
    std::string text, style = "cell";  // or "cell idle"
    bool is_dot = false;               // then the text is seen by pointing at it
  };
  struct row {
    std::string label;
    double height;
    std::vector<arrow> arrows;
    std::vector<cell> cells;  // a place each; an empty text is not drawn
  };
  std::string title, about;  // the title may be empty
  std::vector<row> rows;     // the first has no arrows
  bool wires = false;        // a line downwards for each place

  std::size_t places() const { return rows.front().cells.size(); }
};

// The pictures of a rung, from the object that --json prints: the network that it noted in its
// steps, or one for each block of its scenes; otherwise none.
std::vector<picture> pictures_of(json const& rung);

double width_of(picture const& drawn);
double height_of(picture const& drawn);
std::string svg_of(picture const& drawn, double top);

}  // namespace tally::cli
