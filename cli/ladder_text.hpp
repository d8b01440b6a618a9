// SPDX-License-Identifier: Apache-2.0
//
// What `tally ladder` prints, from the objects that its --json prints.
#pragma once

#include <string>

#include "number.hpp"

namespace tally::cli {

// A number of so many digits; from 1000 on all before the point.
std::string short_text(double x, int digits);

std::string ladder_text(json const& ladder);      // tally ladder NAME
std::string ladders_text(json const& ladders);    // tally ladder
std::string exhibits_text(json const& exhibits);  // tally ladder exhibits
std::string systems_text(json const& systems);    // tally ladder list

}  // namespace tally::cli
