// SPDX-License-Identifier: Apache-2.0
//
// The count, the exact sum and the exact sum of squares, and what is made of them.
#pragma once

#include "tally/aggregate/moments.hpp"
#include "tally/exact/exact_products.hpp"
#include "tally/exact/exact_state.hpp"

namespace tally {

// The count and the exact sum of some elements, and if Squares that of their squares.
template <element T, bool Squares>
struct moment_sums {
  struct none {
    static void write(byte_writer&) {}
  };
  exact_state<T> sum;
  std::uint64_t count = 0;
  std::conditional_t<Squares, detail::exact_squares<T>, none> squares;

  TALLY_FN void add(T x) {  // leaves the count
    sum.add(x);
    if constexpr (Squares) squares.add(x);
  }
  TALLY_HD void merge(moment_sums const& other) {
    sum.merge(other.sum);
    count += other.count;
    if constexpr (Squares) squares.finite.add(other.squares.finite);
  }
};

// What the aggregates below have in common.
template <element T, bool Squares>
struct moments {
  using element = T;
  using state = moment_sums<T, Squares>;
  using result = state;
  static constexpr bool any_order = true;
  static constexpr char const* name = "moments";

  TALLY_HD state identity() const { return {}; }
  TALLY_FN state lift(T x, std::uint64_t) const {
    state s;
    s.add(x);
    s.count = 1;
    return s;
  }
  TALLY_HD state combine(state left, state const& right) const {
    left.merge(right);
    return left;
  }
  TALLY_HD state lower(state const& s) const { return s; }
  TALLY_HD bool empty(state const& s) const { return s.count == 0; }
  // What the aggregate P, first moments or the sum, would know of the same elements.
  template <class P>
  static typename P::state part(state const& s) {
    if constexpr (std::is_same_v<typename P::state, std::uint64_t>)
      return s.sum.finite.modulo_2_64();
    else if constexpr (std::is_same_v<typename P::state, exact_state<T>>)
      return s.sum;
    else
      return {s.sum, s.count, {}};
  }

  static void write(byte_writer& out, state const& s) {
    out.put(s.count);
    s.sum.write(out);
    if constexpr (Squares) s.squares.finite.write(out);
  }
  static state read(byte_reader& in) {
    state s;
    s.count = in.get<std::uint64_t>();
    s.sum = exact_state<T>::read(in);
    if constexpr (Squares) s.squares.finite = detail::square_digits<T>::read(in);
    return s;
  }
  static void pack(byte_writer& out, state const& s) {
    out.put(s.count);
    s.sum.pack(out);
    if constexpr (Squares) s.squares.finite.pack(out);
  }
  static state unpack(byte_reader& in) {
    state s;
    s.count = in.get<std::uint64_t>();
    s.sum = exact_state<T>::unpack(in);
    if constexpr (Squares) s.squares.finite = detail::square_digits<T>::unpack(in);
    return s;
  }
  using told_by = detail::asked<moments_state>;
  static state told(moment_sums<T, true> const& s, std::uint64_t) {
    if constexpr (Squares)
      return s;
    else
      return {s.sum, s.count, {}};
  }
};

namespace detail {

template <floating R, bool Squares, element T>
TALLY_HD R mean_of(typename moments<T, Squares>::state const& s) {
  if (!s.sum.is_finite_sum()) return s.sum.template result<R>();
  if (s.count == 0) return quiet_nan<R>();
  bool negative;
  auto const total = s.sum.finite.magnitude(negative);
  if (total.bit_length() == 0) return R{};
  auto const n = natural_of(s.count).template slice<4>(0);
  return round_truncated<R>(negative, divide(total, n, s.sum.finite.lsb, false));
}

// (n * squares - sum^2) / (n * (n - ddof)), in units of 2^(2 lsb): rounded once, or its root.
template <floating R, element T>
TALLY_HD R variance_of(typename moments<T, true>::state const& s, std::uint64_t ddof, bool root) {
  if (!s.sum.is_finite_sum() || s.count <= ddof) return quiet_nan<R>();
  bool negative;
  auto const sum = s.sum.finite.magnitude(negative);
  auto const squares = s.squares.finite.magnitude(negative);
  auto const n = natural_of(s.count);
  constexpr int a = 2 * (decltype(s.sum.finite)::digits + 1);
  constexpr int b = decltype(s.squares.finite)::digits + 3;
  constexpr int size = a > b ? a : b;
  auto spread = multiply(squares, n).template slice<size>(0);
  subtract(spread, multiply(sum, sum).template slice<size>(0));
  if (spread.bit_length() == 0) return R{};
  auto const divisor = multiply(n, natural_of(s.count - ddof));
  auto const value = divide(spread, divisor, s.squares.finite.lsb, root);
  return round_truncated<R>(false, root ? square_root(value) : value);
}

}  // namespace detail

template <element T, floating R>
struct exact_mean : moments<T, false> {
  using parts = moments<T, false>;
  using result = R;
  static constexpr char const* name = "mean";
  TALLY_HD R lower(typename parts::state const& s) const { return detail::mean_of<R, false, T>(s); }
};

// The variance, or its root.
template <element T, floating R, bool Root>
struct exact_variance : moments<T, true> {
  using parts = moments<T, true>;
  using result = R;
  static constexpr char const* name = Root ? "standard_deviation" : "variance";
  std::uint64_t ddof = 0;
  TALLY_HD R lower(typename parts::state const& s) const {
    return detail::variance_of<R, T>(s, ddof, Root);
  }
};

template <element T>
struct exact_moments : moments<T, true> {
  using parts = moments<T, true>;
  static constexpr char const* name = "moments_state";
  TALLY_HD bool empty(typename parts::state const&) const { return false; }
  TALLY_HD typename parts::state lower(typename parts::state s) const {
    s.sum.finite.carry();
    s.squares.finite.carry();
    return s;
  }
};

}  // namespace tally
