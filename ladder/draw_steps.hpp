// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ladder/rung.hpp"

namespace ladder {

// A column a place; for each step a row of the places that it took from, and one of what all then
// hold: "4-7" is what the elements 4 to 7 come to. At the end a line that counts.
std::vector<std::string> draw_steps(algorithm_steps const& steps);

}  // namespace ladder
