// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "report.hpp"
#include "tally/dynamic.hpp"

namespace tally::cli {

// One of the best.
struct chosen {
  std::int64_t index;
  std::uint64_t bits;  // the value's
  bool missing = false;
};

// What a top-k found.
struct selection {
  dtype type;
  std::vector<chosen> best;
  std::uint64_t nan_count;  // if --json asks for it
  ran_on ran = {};
};

inline std::vector<chosen> all_of(any_top_k_result const& found) {
  auto const& [type, values, count] = found.values;
  std::vector<chosen> all;
  for (std::size_t i = 0; i < count; ++i) {
    auto const* const at = static_cast<std::byte const*>(values) + i * size_of(type);
    all.push_back({found.indices[i], any_number::at(type, at).bits});
  }
  return all;
}

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
