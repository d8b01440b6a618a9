// SPDX-License-Identifier: Apache-2.0
//
// What lies between two elements of a sorted array: where a quantile is, and its value there,
// rounded once. Integers only, so that every machine has the same bits.
#pragma once

#include "tally/exact/fixed_point.hpp"
#include "tally/exact/order_key.hpp"
#include "tally/interpolation.hpp"

namespace tally::detail {

__extension__ using wide_bits = unsigned __int128;

// The place `index` + fraction / (2^scale * denominator), counted from 0; what is added is less
// than one.
struct sorted_place {
  std::uint64_t index;
  wide_bits fraction;
  int scale;                  // at most 1074
  std::uint64_t denominator;  // other than 1 only without a scale

  TALLY_HD bool is_between() const { return fraction != 0; }
};

TALLY_HD inline natural<4> natural_of_wide(wide_bits x) {
  return {
      {std::uint32_t(x), std::uint32_t(x >> 32), std::uint32_t(x >> 64), std::uint32_t(x >> 96)}};
}

// (n - 1) * q, exactly, for n > 0 and a fraction q of at most 1.
TALLY_HD inline sorted_place fraction_of(std::uint64_t n, quantile_place q) {
  auto rest = natural_of_wide(wide_bits(n - 1) * q.numerator).slice<8>(0);
  auto const whole = long_division(rest, natural_of_wide(q.denominator));
  auto const low = [](natural<8> const& x) { return std::uint64_t(x.limb[1]) << 32 | x.limb[0]; };
  return {low(whole), low(rest), 0, q.denominator};
}

// (n - 1) * q, exactly, for n > 0 and q from 0 to 1.
TALLY_HD inline sorted_place exact_place(std::uint64_t n, double q) {
  auto const p = take_apart(q);
  auto const product = wide_bits(n - 1) * p.significand;
  int const scale = -p.exponent;  // from 52, that of one, on
  if (scale >= 128) return {0, product, scale, 1};
  auto const index = std::uint64_t(product >> scale);
  return {index, product - (wide_bits(index) << scale), scale, 1};
}

// The same rounded to a double, as NumPy computes it: the methods that choose an element, and the
// midpoint, ask whether this is a whole number.
TALLY_HD inline sorted_place rounded_place(std::uint64_t n, double q) {
  auto const product = wide_bits(n - 1) * take_apart(q).significand;
  if (product == 0) return {0, 0, 0, 1};
  auto const p =
      take_apart(round_natural<double>(false, natural_of_wide(product), take_apart(q).exponent));
  if (p.exponent <= -64) return {0, 1, 2, 1};
  std::uint64_t const index =
      p.exponent >= 0 ? p.significand << p.exponent : p.significand >> -p.exponent;
  if (p.exponent >= 0 || index >= n - 1) return {index < n - 1 ? index : n - 1, 0, 0, 1};
  return {index, p.significand - (index << -p.exponent), -p.exponent, 1};
}

// Which elements a method asks for, and where between them.
TALLY_HD inline sorted_place place_of(interpolation method, std::uint64_t n, quantile_place q) {
  bool const is_linear = method == interpolation::linear;
  auto const at = q.is_fraction() ? fraction_of(n, q)
                  : is_linear     ? exact_place(n, q.as_double())
                                  : rounded_place(n, q.as_double());
  if (is_linear || !at.is_between()) return at;
  auto const one = wide_bits(at.denominator) << at.scale, twice = at.fraction << 1;
  bool const rounds_up = twice > one || (twice == one && at.index % 2 == 1);
  if (method == interpolation::midpoint) return {at.index, 1, 1, 1};
  bool const up =
      method == interpolation::higher || (method == interpolation::nearest && rounds_up);
  return {at.index + (up ? 1 : 0), 0, 0, 1};
}

// Room for a number between two of type T, whose fraction has its last bit at 2^-1074.
template <element T>
using between_digits =
    std::conditional_t<integer<T>, fixed_point<40, -1074>,
                       std::conditional_t<sizeof(T) <= 4, fixed_point<46, -1074 - 149>,
                                          fixed_point<104, -1074 - 1074>>>;

// Adds (negative ? -1 : 1) * x * fraction * 2^exponent.
template <class Digits>
TALLY_HD void add_part(Digits& sum, bool negative, std::uint64_t x, wide_bits fraction,
                       int exponent) {
  TALLY_ROLL
  for (; fraction; fraction >>= 64, exponent += 64) {
    auto const product = wide_bits(x) * std::uint64_t(fraction);
    if (std::uint64_t(product)) sum.add(negative, std::uint64_t(product), exponent);
    if (product >> 64) sum.add(negative, std::uint64_t(product >> 64), exponent + 64);
  }
}

// sum / denominator, rounded once.
template <floating R, int Digits, int Lsb>
TALLY_HD R quotient(fixed_point<Digits, Lsb> const& sum, std::uint64_t denominator) {
  bool negative;
  auto const numerator = sum.magnitude(negative);
  if (numerator.bit_length() == 0) return R{};
  return round_truncated<R>(negative, divide(numerator, natural_of_wide(denominator), Lsb, false));
}

// The point between a and b that a place says, for a <= b, neither of them a NaN, rounded once;
// zero is +0. Between infinities of both signs it is NaN.
template <floating R, element T>
TALLY_COLD R between(T a, T b, sorted_place const& at) {
  if constexpr (floating<T>) {
    if (!is_finite(a) && (!at.is_between() || is_finite(b) || to_bits(a) == to_bits(b)))
      return infinity<R>((to_bits(a) & format<T>::sign) != 0);
    if (!is_finite(a)) return quiet_nan<R>();
    if (at.is_between() && !is_finite(b)) return infinity<R>();
  }
  auto const x = take_apart(a);
  between_digits<T> sum;  // times the denominator
  std::uint64_t const denominator = at.is_between() ? at.denominator : 1;
  add_part(sum, x.negative, x.significand, denominator, x.exponent);
  if (at.is_between()) {
    auto const y = take_apart(b);
    add_part(sum, !x.negative, x.significand, at.fraction, x.exponent - at.scale);
    add_part(sum, y.negative, y.significand, at.fraction, y.exponent - at.scale);
  }
  return denominator == 1 ? sum.template round<R>() : quotient<R>(sum, denominator);
}

// The element, no NaN, of a key by which the largest come first (rank_key), turned around: the
// smallest do. A zero has lost its sign.
template <element T>
TALLY_HD T from_ascending_key(bits_of<T> key) {
  using bits = bits_of<T>;
  auto const rank = bits(~key);
  if constexpr (integer<T>) {
    return from_order_key<T>(rank);
  } else {
    bits const ordered = bits(rank ^ format<T>::sign);
    bool const negative = (ordered & format<T>::sign) != 0;
    return from_bits<T>(negative ? bits(bits(0 - ordered) | format<T>::sign) : ordered);
  }
}

// The quantile of elements with these keys: as doubles say it, or of integers one of them.
template <class Out, element T>
TALLY_HD Out quantile_at(bits_of<T> low, bits_of<T> high, sorted_place const& at) {
  if constexpr (integer<Out>)
    return from_ascending_key<T>(low);
  else
    return between<Out>(from_ascending_key<T>(low), from_ascending_key<T>(high), at);
}

}  // namespace tally::detail
