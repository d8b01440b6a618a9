// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace tally::cli {

// Files as they were when this was built.
extern std::string_view const systems;   // a list of ladder/systems.json
extern std::string_view const recorded;  // a list of results/ladder_nvidia_*.json: the first counts

}  // namespace tally::cli
