// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace tally::cli {

// Files as they were when this was built.
extern std::string_view const systems;   // ladder/systems.json
extern std::string_view const recorded;  // results/ladder_nvidia_h200.json

}  // namespace tally::cli
