// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "tally/reduce.hpp"

namespace tally::cli {

// A minimum counts them on its way, on every thread.
template <element T>
std::uint64_t count_nan(cpu where, std::span<T const> x) {
  if constexpr (integer<T>) return 0;
  reduce_stream<T, minimum> extremes;
  extremes.add(where, x);
  return extremes.state().value.nan;
}

}  // namespace tally::cli
