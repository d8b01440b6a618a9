// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace tally::cli {

extern std::string_view const systems;  // ladder/systems.json, as it was when this was built

}  // namespace tally::cli
