// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "input.hpp"
#include "reduction.hpp"

namespace tally::cli {

struct gpu_reduction {
  answer found;
  std::optional<std::uint64_t> nan_count;
  ran_on ran;
};

// The reduction of all of `in`, copied to the GPU that --device names. Nothing, and no element
// read, if that has no memory for it.
std::optional<gpu_reduction> reduce_on_gpu(input& in, arguments const& options,
                                           reduction_settings const& settings);

}  // namespace tally::cli
