// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "input.hpp"
#include "reduction.hpp"

namespace tally::cli {

struct gpu_reduction {
  reduction total;
  ran_on ran;
};

// The reduction of all of `in`, by the GPUs that --device names. Nothing, and no element read, if
// there is no memory for a chunk.
std::optional<gpu_reduction> reduce_on_gpu(input& in, arguments const& options,
                                           reduction_settings const& settings);

}  // namespace tally::cli
