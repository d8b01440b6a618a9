// SPDX-License-Identifier: Apache-2.0
//
// The quick phase of Ziv's rounding test (ACM TOMS 17(3), 1991): means, variances and roots of
// approximations of exact sums, in pairs of doubles, with a bound on the error. Mostly all numbers
// within it round to one result, which then is the exact one's. That takes a few hundred operations
// where natural.hpp takes tens of thousands: it is for GPUs, where one thread does this at the end
// of every call. It needs the rounding to nearest and the subnormals that these always have;
// products that are rounded on purpose are written as fma, so that nobody fuses them.
#pragma once

#include <cmath>

#include "tally/exact/natural.hpp"

namespace tally::detail {

// high + low, of which high is the rounded sum. (T. J. Dekker, "A floating-point technique for
// extending the available precision", Numerische Mathematik 18, 1971.)
struct double_double {
  double high, low;
};
// A sum and its error (Dekker's Fast2Sum): exact for |high| >= |low|, or nearly.
TALLY_HD inline double_double fast_two_sum(double high, double low) {
  double const sum = high + low;
  return {sum, low - (sum - high)};
}
// A sum and its error, which is exact for any two (Knuth's TwoSum, TAOCP 4.2.2).
TALLY_HD inline double_double two_sum(double a, double b) {
  double const sum = a + b, back = sum - a;
  return {sum, (a - (sum - back)) + (b - back)};
}
TALLY_HD inline double rounded_product(double a, double b) { return std::fma(a, b, -0.0); }

// The operations below have an error of less than 2^-100 of the result (differences: of the larger
// operand).
TALLY_HD inline double_double operator*(double_double a, double_double b) {
  double const high = rounded_product(a.high, b.high);
  double const low = rounded_product(a.high, b.low) + rounded_product(a.low, b.high);
  auto const out = fast_two_sum(high, std::fma(a.high, b.high, -high) + low);
  TALLY_CLAIM(double_double("double_double.product", '*', a, b, out));
  return out;
}
TALLY_HD inline double_double operator-(double_double a, double_double b) {
  auto const s = two_sum(a.high, -b.high);
  auto const out = fast_two_sum(s.high, s.low + (a.low - b.low));
  TALLY_CLAIM(double_double("double_double.difference", '-', a, b, out));
  return out;
}
TALLY_HD inline double_double operator/(double_double a, double_double b) {
  double const inverse = 1 / b.high;  // a division takes as long as twenty products
  double const q = rounded_product(a.high, inverse);
  double const rest = std::fma(-q, b.high, a.high) + (a.low - rounded_product(q, b.low));
  auto const out = fast_two_sum(q, rounded_product(rest, inverse));
  TALLY_CLAIM(double_double("double_double.quotient", '/', a, b, out));
  return out;
}
TALLY_HD inline double_double square_root(double_double a) {
  double const r = std::sqrt(a.high);
  auto const out = fast_two_sum(r, (std::fma(-r, r, a.high) + a.low) / (2 * r));
  TALLY_CLAIM(double_double("double_double.root", 'r', a, a, out));
  return out;
}
TALLY_HD inline double_double double_double_of(std::uint64_t n) {
  double const high = double(n >> 32) * 0x1p32;
  return fast_two_sum(high, double(std::uint32_t(n)));
}

// An exact number, about value * 2^exponent: its error is at most `error` * 2^exponent, which is at
// least 2^-98 of it.
struct approximation {
  double_double value;
  double error;  // 0: the number is 0
  int exponent;
};

// Approximates the number of the digits [low, high] of a fixed_point, each of less than 2^48, of
// which the last is not 0; they may differ in sign.
template <class Digit>
TALLY_HD approximation approximation_of(Digit digit, int low, int high, int lsb) {
  constexpr int enough = 8;
  constexpr double ignored = 0x1p-200;  // more than those below may count
  double sum = 0, rest = 0, unit = 1;
  TALLY_ROLL
  for (int i = high; i >= low && i > high - enough; --i, unit *= 0x1p-32) {
    TALLY_CLAIM(within("approximation.digit", double(digit(i)), 0x1p48));
    auto const s = two_sum(sum, unit * double(digit(i)));
    sum = s.high;
    rest += s.low;  // if not 0, sum is 2^53 units or more: digits to come cannot cancel it
  }
  auto const value = fast_two_sum(sum, rest);
  approximation const out{value, 0x1p-98 * std::fabs(value.high) + ignored, 32 * high + lsb};
  TALLY_CLAIM(approximation("approximation.error", digit, low, high, lsb, out));
  return out;
}

// Rounds x * 2^exponent to R, where `value` is the double nearest to x, and `inexact` says that
// they differ. False if that does not decide: at a midpoint, for subnormal results and for zero.
template <floating R>
TALLY_HD bool round_near(double value, bool inexact, int exponent, R& out) {
  using f = format<double>;
  auto bits = to_bits(value);
  int const place = int(bits >> 52 & f::max_field) - f::bias + exponent;
  if (value == 0 || place < 1 - format<R>::bias) return false;
  if (place > format<R>::bias) {
    out = infinity<R>(value < 0);
    return true;
  }
  bits += std::uint64_t(std::int64_t(exponent)) << 52;
  if constexpr (format<R>::precision < f::precision) {
    constexpr int dropped = f::precision - format<R>::precision;
    constexpr std::uint64_t half = std::uint64_t(1) << (dropped - 1);
    if (inexact && (bits & (2 * half - 1)) == half) return false;
  }
  if constexpr (is_one_of<R, float, double>)
    out = R(from_bits<double>(bits));
  else
    out = convert<R>(from_bits<double>(bits));
  return true;
}

// Rounds to R all numbers that are at most `error` off value * 2^exponent, if they have one result
// and round_near() knows it; else false.
template <floating R>
TALLY_HD bool round_within(double_double value, double error, int exponent, R& out) {
  // Adding `wide` to the low part rounds by less than 2^-106 of the value, and it is 2^-98 or more.
  double const wide = error * (1 + 0x1p-7);
  double const least = value.high + (value.low - wide), most = value.high + (value.low + wide);
  bool const known = least == most && round_near(least, true, exponent, out);
  if (known) TALLY_CLAIM(rounds<format<R>>("round.within", value, error, exponent, out));
  return known;
}

// The functions below return false if the exact numbers must be looked at.

// Rounds what is at most `error` off value * 2^exponent, or its root.
template <floating R>
TALLY_HD bool round_root_within(double_double value, double error, int exponent, bool take_root,
                                R& out) {
  if (!take_root) return round_within(value, error, exponent, out);
  if (!(value.high > 4 * error)) return false;
  auto const r = square_root(value);
  TALLY_CLAIM(root("deviation.error", value, error, r, error / r.high));
  return round_within(r, error / r.high, exponent / 2, out);
}

// Rounds x / n, or its root.
template <floating R>
TALLY_HD bool quick_quotient(approximation const& x, std::uint64_t n, bool take_root, R& out) {
  out = R{};
  if (x.error == 0) return true;
  auto const count = double_double_of(n);
  auto const value = x.value / count;
  double const error = 4 * x.error * (1 / count.high);
  TALLY_CLAIM(mean("mean.error", x, n, value, error));
  return round_root_within(value, error, x.exponent, take_root, out);
}
template <floating R>
TALLY_HD bool quick_mean(approximation const& sum, std::uint64_t n, R& out) {
  out = R{};
  return n != 0 && quick_quotient(sum, n, false, out);
}

// Rounds a sum of squares, or its root.
template <floating R>
TALLY_HD bool quick_squares(approximation const& squares, bool take_root, R& out) {
  out = R{};
  if (squares.error == 0) return true;
  auto const x = squares.value;
  if (!take_root) return round_within(x, 2 * squares.error, squares.exponent, out);
  if (!(x.high > 4 * squares.error)) return false;
  auto const r = square_root(x);
  TALLY_CLAIM(root("norm.error", x, squares.error, r, 4 * squares.error / r.high));
  return round_within(r, 4 * squares.error / r.high, squares.exponent / 2, out);
}

// Rounds (n * squares - sum^2) / (n * (n - ddof)), or its root.
template <floating R>
TALLY_HD bool quick_variance(approximation const& sum, approximation const& squares,
                             std::uint64_t n, std::uint64_t ddof, bool take_root, R& out) {
  out = R{};
  if (n <= ddof) return false;
  if (squares.error == 0) return true;
  auto const count = double_double_of(n);
  auto const divisor = count * double_double_of(n - ddof);
  auto spread = count * squares.value;
  double error = count.high * squares.error;
  if (int const shift = 2 * sum.exponent - squares.exponent; sum.error != 0 && shift > -900) {
    if (shift > 400) return false;
    double const unit = from_bits<double>(std::uint64_t(1023 + shift) << 52);
    auto const square = sum.value * sum.value;
    spread = spread - double_double{unit * square.high, unit * square.low};
    error += 4 * unit * (std::fabs(sum.value.high) + sum.error) * sum.error;
  }
  auto const value = spread / divisor;
  error *= 32 * (1 / divisor.high);
  TALLY_CLAIM(variance("variance.error", sum, squares, n, ddof, value, error));
  return round_root_within(value, error, squares.exponent, take_root, out);
}

}  // namespace tally::detail
