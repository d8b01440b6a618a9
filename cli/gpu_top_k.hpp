// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "input.hpp"
#include "top_k.hpp"

namespace tally::cli {

// The best of all of `in`, copied to the GPU that --device names. Nothing, and no element read, if
// that has no memory for them.
std::optional<selection> select_on_gpu(input& in, arguments const& options);

}  // namespace tally::cli
