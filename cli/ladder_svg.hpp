// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "number.hpp"

namespace tally::cli {

// A drawing of what `tally ladder NAME --json` prints: a bar for each rung, as long as it is away
// from the ceiling, on a logarithmic axis. On a GPU that is its time over the time of only reading;
// on the SIMT machine its bytes over the least that must move. Below, the steps of rungs that note
// them.
std::string ladder_svg(json const& ladder);

}  // namespace tally::cli
