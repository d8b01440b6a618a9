// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "input.hpp"
#include "top_k.hpp"

namespace tally::cli {

// The best of all of `in`, by the GPUs that --device names. Nothing, and no element read, if there
// is no memory for a chunk.
std::optional<selection> select_on_gpu(input& in, arguments const& options);

}  // namespace tally::cli
