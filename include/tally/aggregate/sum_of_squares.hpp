// SPDX-License-Identifier: Apache-2.0
//
// sum_of_squares, norm: the exact sum of the squares, one rounding
// (definition/sum_of_squares.hpp).
#pragma once

#include "tally/aggregate/moments.hpp"
#include "tally/aggregate/sum.hpp"

namespace tally {

// sum_of_squares{}: in the input's type (floating point), or as int64_t or uint64_t modulo 2^64
// (integers); sum_of_squares{}.as<double>() rounds the exact sum once to double instead.
template <class R = void>
struct basic_sum_of_squares : detail::rounded_to_any<basic_sum_of_squares> {
  static constexpr char const* name = "sum_of_squares";
  static constexpr char const* summary =
      "the exact sum of squares, rounded once; of integers modulo 2^64";
  template <element T>
    requires(integer<T> || floating<detail::sum_result<T, R>>)
  using result = detail::sum_result<T, R>;

  template <element T>
  auto on() const {
    return exact_sum_of_squares<T, detail::sum_result<T, R>>{};
  }
};
using sum_of_squares = basic_sum_of_squares<>;

// norm{}: the Euclidean norm, the root of the exact sum of squares, rounded once; in the input's
// type, or double for integers. Squares that would overflow do not: the norm of {1e30f} is 1e30f.
template <class R = void>
struct basic_norm : detail::rounded_to_any<basic_norm> {
  static constexpr char const* name = "norm";
  static constexpr char const* summary =
      "the Euclidean norm, the root of the exact sum of squares, rounded once";
  template <element T>
    requires floating<detail::moment_result<T, R>>
  using result = detail::moment_result<T, R>;

  template <element T>
  auto on() const {
    return exact_norm<T, detail::moment_result<T, R>>{};
  }
};
using norm = basic_norm<>;

}  // namespace tally
