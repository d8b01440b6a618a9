// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/aggregate/sum_of_squares.hpp"
#include "tally/definition/moments.hpp"

namespace tally {
namespace detail {

// Of floating-point elements: NaN if one is NaN, else infinite if one is infinite.
template <floating R, element T, class Finite>
TALLY_HD R of_squares(typename moments<T, true>::state const& s, Finite&& finite) {
  if (s.sum.nan) return quiet_nan<R>();
  if (!s.sum.is_finite_sum()) return infinity<R>(false);
  return finite();
}

template <floating R, element T>
TALLY_HD R norm_of(typename moments<T, true>::state const& s) {
  return of_squares<R, T>(s, [&] {
    bool negative;
    auto const squares = s.squares.finite.magnitude(negative);
    if (squares.bit_length() == 0) return R{};
    auto const one = natural_of(1).template slice<4>(0);
    return round_truncated<R>(false, square_root(divide(squares, one, s.squares.finite.lsb, true)));
  });
}

}  // namespace detail

// Integers modulo 2^64, where R is one.
template <element T, element R>
struct exact_sum_of_squares : moments<T, true> {
  using parts = moments<T, true>;
  using result = R;
  static constexpr char const* name = "sum_of_squares";
  TALLY_HD bool empty(typename parts::state const&) const { return false; }
  TALLY_HD R lower(typename parts::state const& s) const {
    if constexpr (integer<R>)
      return R(s.squares.finite.modulo_2_64());
    else
      return detail::of_squares<R, T>(s, [&] { return s.squares.finite.template round<R>(); });
  }
};

template <element T, floating R>
struct exact_norm : moments<T, true> {
  using parts = moments<T, true>;
  using result = R;
  static constexpr char const* name = "norm";
  TALLY_HD bool empty(typename parts::state const&) const { return false; }
  TALLY_HD R lower(typename parts::state const& s) const { return detail::norm_of<R, T>(s); }
};

}  // namespace tally
