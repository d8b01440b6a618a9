// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arguments.hpp"

namespace tally::cli {

// sum and mean with --decimal.
void run_decimal(arguments const& options);

}  // namespace tally::cli
