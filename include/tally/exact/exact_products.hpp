// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/exact/exact_state.hpp"

namespace tally {
namespace detail {

// The exact sum of the squares of finite values. NaN and infinities are counted by the sum of the
// values themselves, which stands beside it.
template <element T>
struct exact_squares {
  square_digits<T> finite;

  TALLY_FN void add(T x) {
    if constexpr (floating<T>) {
      if (!is_finite(x)) return;
    }
    auto const p = take_apart(x);
    std::uint64_t const low = p.significand & 0xffffffff, high = p.significand >> 32;
    finite.add(false, low * low, 2 * p.exponent);
    if (high == 0) return;
    finite.add(false, low * high, 2 * p.exponent + 33);
    finite.add(false, high * high, 2 * p.exponent + 64);
  }
};

}  // namespace detail

// The exact sum of any number of products of two values of type T, kept as exact_state keeps the
// sum of values. What is not finite is counted by what the product is: infinity * 0 is a NaN.
template <floating T>
struct exact_products : detail::exact_total<detail::square_digits<T>, T> {
  using detail::exact_total<detail::square_digits<T>, T>::finite;

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
    this->count(is_nan(x), x < 0);
  }

  static exact_products read(byte_reader& in) {
    exact_products out;
    out.take(in);
    return out;
  }
  static exact_products unpack(byte_reader& in) {
    exact_products out;
    out.take_packed(in);
    return out;
  }

 private:
  TALLY_COLD void add_special(T a, T b) {
    auto const magnitude = [](T x) { return bits_of<T>(to_bits(x) << 1); };
    bool const none = is_nan(a) || is_nan(b) || magnitude(a) == 0 || magnitude(b) == 0;
    this->count(none, (to_bits(a) ^ to_bits(b)) & format<T>::sign);
  }
};

}  // namespace tally
