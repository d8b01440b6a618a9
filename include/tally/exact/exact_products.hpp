// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/exact/fixed_point.hpp"

namespace tally {

// The exact sum of any number of products of two values of type T, kept as exact_state keeps the
// sum of values. What is not finite is counted by what the product is: infinity * 0 is a NaN.
template <floating T>
struct exact_products {
  detail::square_digits<T> finite;
  std::uint64_t nan = 0, positive_infinity = 0, negative_infinity = 0;

  TALLY_FN void add(T a, T b) {
    if (!is_finite(a) || !is_finite(b)) return add_special(a, b);
    auto const x = take_apart(a), y = take_apart(b);
    bool const negative = x.negative != y.negative;
    int const exponent = x.exponent + y.exponent;
    if constexpr (sizeof(T) < 8) {
      finite.add(negative, x.significand * y.significand, exponent);
    } else {
      auto const product = static_cast<unsigned __int128>(x.significand) * y.significand;
      finite.add(negative, std::uint64_t(product), exponent);
      finite.add(negative, std::uint64_t(product >> 64), exponent + 64);
    }
  }

  // Adds a product, or one of several doubles that it is the sum of.
  TALLY_FN void add(double x) {
    if (is_finite(x)) return finite.add(x);
    count(is_nan(x), x < 0);
  }

  TALLY_HD void merge(exact_products const& other) {
    finite.add(other.finite);
    nan += other.nan;
    positive_infinity += other.positive_infinity;
    negative_infinity += other.negative_infinity;
  }

  // The sum, rounded once to R; a sum of exactly zero is +0.
  template <floating R = T>
  TALLY_HD R result() const {
    if (nan || (positive_infinity && negative_infinity)) return quiet_nan<R>();
    if (positive_infinity || negative_infinity) return infinity<R>(negative_infinity != 0);
    return finite.template round<R>();
  }

  void write(byte_writer& out) const {
    for (auto const n : {nan, positive_infinity, negative_infinity}) out.put(n);
    finite.write(out);
  }
  static exact_products read(byte_reader& in) {
    exact_products out;
    for (auto* const n : {&out.nan, &out.positive_infinity, &out.negative_infinity})
      *n = in.get<std::uint64_t>();
    out.finite = decltype(out.finite)::read(in);
    return out;
  }

 private:
  TALLY_FN void count(bool is_nan, bool negative) {
    ++(is_nan ? nan : negative ? negative_infinity : positive_infinity);
  }
  TALLY_COLD void add_special(T a, T b) {
    auto const magnitude = [](T x) { return bits_of<T>(to_bits(x) << 1); };
    bool const none = is_nan(a) || is_nan(b) || magnitude(a) == 0 || magnitude(b) == 0;
    count(none, (to_bits(a) ^ to_bits(b)) & format<T>::sign);
  }
};

}  // namespace tally
