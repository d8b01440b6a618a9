// SPDX-License-Identifier: Apache-2.0
//
// What scans and selections may be asked for, and what selections give.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "tally/interpolation.hpp"
#include "tally/span.hpp"
#include "tally/where.hpp"

namespace tally {

template <class T>
struct scan_options {
  std::optional<T> init = {};  // comes before the first element (reverse: after the last)
  bool reverse = false;        // out[i] is over the elements from i on instead of up to i
  T* total = nullptr;          // takes the result over everything, `init` included; one a row
  nan_policy nan = propagate;  // skip: a NaN adds nothing to what comes behind it
};

// Which elements are the best.
enum class order : unsigned char { largest, smallest };
inline constexpr order largest = order::largest;
inline constexpr order smallest = order::smallest;

struct top_k_options {
  tally::order order = largest;
  bool sorted = true;     // best first, ties by lower index; otherwise by ascending index
  bool distinct = false;  // different values only, each at its first index
  nan_policy nan = propagate;
  bool operator==(top_k_options const&) const = default;
};

struct kth_value_options {
  tally::order order = smallest;
  nan_policy nan = propagate;
};

struct quantile_options {
  interpolation method = interpolation::linear;
  nan_policy nan = propagate;
};

template <class T>
struct top_k_result {
  detail::values_of<T> values;
  std::vector<std::int64_t> indices;
};

// Each row has k places, the first counts[r] of which are its own. Behind them the index is -1 and
// the value NaN, or 0 of a type without NaN.
template <class T>
struct top_k_rows_result : top_k_result<T> {
  std::vector<std::uint64_t> counts;
};

template <class T>
struct kth_value_result {
  T value;
  std::int64_t index;
};

// One a row: -1, and NaN or 0, where it has no k-th.
template <class T>
struct kth_value_rows_result {
  detail::values_of<T> values;
  std::vector<std::int64_t> indices;
};

}  // namespace tally
