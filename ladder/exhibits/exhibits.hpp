// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ladder::exhibits {

// Runs every exhibit on the SIMT machine and prints a line of JSON for each; whether all were
// caught: where the machine must see the mistake, with its kind, file and line.
bool run_exhibits();

}  // namespace ladder::exhibits
