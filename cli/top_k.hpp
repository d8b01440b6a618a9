// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "arguments.hpp"
#include "tally/dynamic.hpp"

namespace tally::cli {

// What a top-k found.
struct selection {
  any_top_k_result best;
  std::uint64_t k, nan_count;  // the latter if --json asks for it
  std::string device = "cpu";
};

inline top_k_options top_k_options_of(arguments const& options) {
  return {.order = options.smallest ? smallest : largest,
          .sorted = !options.unsorted,
          .distinct = options.distinct,
          .nan = options.nan()};
}

// Without -k, or all of fewer.
inline constexpr std::uint64_t default_k = 10;
inline std::uint64_t k_of(arguments const& options, std::uint64_t count) {
  return options.k.value_or(std::min(default_k, count));
}

}  // namespace tally::cli
