// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "input.hpp"
#include "scan.hpp"
#include "scan_output.hpp"

namespace tally::cli {

// The scan of all of `in`, copied to the GPU that --device names, into `out`. Nothing, and no
// element read, if that has no memory for both.
std::optional<scanned> scan_on_gpu(input& in, arguments const& options,
                                   scan_settings const& settings, scan_output& out);

}  // namespace tally::cli
