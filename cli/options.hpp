// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arguments.hpp"

namespace CLI {
class App;
}

namespace tally::cli {

// Tells CLI11 the options and operands of a command, by its option_groups; they fill `a`.
void define_options(CLI::App& app, unsigned groups, arguments& a);

}  // namespace tally::cli
