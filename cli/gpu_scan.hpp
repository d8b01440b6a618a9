// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "input.hpp"
#include "scan.hpp"
#include "scan_output.hpp"

namespace tally::cli {

// The scan of all of `in`, by the GPUs that --device names, into `out`. Nothing, and no element
// read, if there is no memory for a chunk.
std::optional<scanned> scan_on_gpu(input& in, arguments const& options,
                                   scan_settings const& settings, scan_output& out);

}  // namespace tally::cli
