// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "arguments.hpp"
#include "number.hpp"

namespace tally::cli {

// What a GPU took when it was recorded (results/), beside what the machine counts: rungs whose
// counts are alike can be far apart. It becomes their `recorded`. A rung that only a GPU can run
// becomes those that were recorded of its file; if none was for what is asked it stays as it is
// where the whole ladder, or it alone, is asked for, and else goes.
void add_recorded_times(std::vector<json>& rungs, ladder_arguments const& asked);

}  // namespace tally::cli
