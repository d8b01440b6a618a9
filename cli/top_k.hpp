// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "arguments.hpp"
#include "report.hpp"
#include "tally/dynamic.hpp"

namespace tally::cli {

// What a top-k found.
struct selection {
  any_top_k_result best;
  std::uint64_t nan_count;  // if --json asks for it
  std::string device = "cpu";
};

inline top_k_options top_k_options_of(arguments const& options) {
  return {.order = options.smallest ? smallest : largest,
          .sorted = !options.unsorted,
          .distinct = options.distinct,
          .nan = options.nan()};
}

// How many are asked for, and how many there are to be had of so many elements.
inline std::uint64_t k_of(arguments const& options) { return options.k.value_or(10); }
inline std::uint64_t k_of(arguments const& options, std::uint64_t count) {
  return std::min(k_of(options), count);
}

// What the JSON of a top-k has of it.
json top_k_keys(arguments const& options, json values, json indices);

}  // namespace tally::cli
