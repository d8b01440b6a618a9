// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "number.hpp"

namespace tally::cli {

// A drawing of what `tally ladder NAME --json` prints: a bar for each rung, as long as it is away
// from the ceiling. On a GPU that is its time over the time of only reading; on the SIMT machine
// that of a GPU which was recorded, or its bytes over the least that must move. Below, what rungs
// noted: networks, and what lanes had from lanes; of a single rung, whatever it draws.
std::string ladder_svg(json const& ladder);

}  // namespace tally::cli
