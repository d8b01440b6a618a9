// SPDX-License-Identifier: Apache-2.0
//
// Variances and deviations of rows by lanes: the sums of the elements and of their squares in pairs
// of doubles, each with a bound of its error, from which double_double.hpp makes a result if that
// is certain.
#pragma once

#include "sum_lanes.hpp"
#include "tally/exact/double_double.hpp"

namespace tally::detail {

template <floating T>
struct moment_lanes {
  using element = T;
  using part = double_lanes<false>;
  using doubles = part::doubles;
  struct sums {
    part::sums elements, squares;
  };
  struct running {
    part::running elements, squares;
  };
  TALLY_CPU_FN static running load(sums const& s) {
    return {part::load(s.elements), part::load(s.squares)};
  }
  TALLY_CPU_FN static void store(running const& r, sums& s) {
    part::store(r.elements, s.elements);
    part::store(r.squares, s.squares);
  }

  TALLY_CPU_FN static void add(running& s, T const* x) {
    doubles const y = lane_doubles(x), square = y * y;
    part::add(s.elements, y);
    part::add(s.squares, square);
    if constexpr (sizeof(T) == sizeof(double)) {
      doubles error;
      for (int k = 0; k < lane_count; ++k) error[k] = __builtin_fma(y[k], y[k], -square[k]);
      part::add_error(s.squares, error);
    }
  }
  TALLY_CPU_FN static void append(running& s, running const& other) {
    part::append(s.elements, other.elements);
    part::append(s.squares, other.squares);
  }
  template <int By>
  TALLY_CPU_FN static running turned_by(running const& s) {
    return {part::turned_by<By>(s.elements), part::turned_by<By>(s.squares)};
  }
};

template <floating T, bool Root>
struct lanes_for<exact_variance<T, T, Root>> {
  using type = moment_lanes<T>;
  using by_vectors = type;
  static constexpr std::uint64_t longest_row = 128, shortest_by_vectors = 64;
  static constexpr bool by_bound = false;

  static bool finish(exact_variance<T, T, Root> const& a, typename type::sums const& s, int k,
                     std::uint64_t n, T& out) {
    auto const sum = known(s.elements, k, 2 * n), squares = known(s.squares, k, 2 * n);
    double const size = squares.value.high;
    if (sizeof(T) < sizeof(double) && size == 0 && n > a.ddof) return out = T{}, true;
    // Products of the least doubles are no doubles, nor those of the largest.
    return size > 0x1p-900 && size < 0x1p900 && quick_variance(sum, squares, n, a.ddof, Root, out);
  }

 private:
  // A sum of about n numbers.
  static approximation known(lane_sums<false> const& s, int k, std::uint64_t n) {
    auto const value = two_sum(s.sum[k], s.errors[k]);
    return {value, s.left_out(k, n) + 0x1p-98 * std::fabs(value.high), 0};
  }
};

}  // namespace tally::detail
