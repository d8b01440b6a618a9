// SPDX-License-Identifier: Apache-2.0
//
// Elements as unsigned integers that compare the way the elements do, so that selection and extrema
// are integer work: no floating-point compare, no branch, and loops over them vectorise.
#pragma once

#include "tally/exact/float_format.hpp"

namespace tally {

// A total order of bit patterns: -NaN < -inf < ... < -0.0 < +0.0 < ... < +inf < +NaN.
template <integer T>
TALLY_FN bits_of<T> order_key(T x) {
  using bits = bits_of<T>;
  constexpr bits sign = std::is_signed_v<T> ? bits(bits(1) << (8 * sizeof(T) - 1)) : bits(0);
  return bits(to_bits(x) ^ sign);
}
template <floating T>
TALLY_FN bits_of<T> order_key(T x) {
  using bits = bits_of<T>;
  bits const b = to_bits(x);
  bits const all_if_negative = bits(std::make_signed_t<bits>(b) >> (8 * sizeof(T) - 1));
  return bits(b ^ bits(all_if_negative | format<T>::sign));
}

// The element whose order_key is `key`.
template <integer T>
TALLY_FN T from_order_key(bits_of<T> key) {
  using bits = bits_of<T>;
  constexpr bits sign = std::is_signed_v<T> ? bits(bits(1) << (8 * sizeof(T) - 1)) : bits(0);
  if constexpr (std::is_same_v<T, bool>) return key != 0;  // what is neither stands beyond one
  return from_bits<T>(bits(key ^ sign));
}
template <floating T>
TALLY_FN T from_order_key(bits_of<T> key) {
  using bits = bits_of<T>;
  bits const all_if_positive = bits(std::make_signed_t<bits>(key) >> (8 * sizeof(T) - 1));
  return from_bits<T>(bits(key ^ bits(bits(~all_if_positive) | format<T>::sign)));
}

// The order in which top-k ranks: -0.0 equals +0.0, every NaN equals every other and is all ones,
// above +inf.
template <integer T>
TALLY_FN bits_of<T> rank_key(T x) {
  return order_key(x);
}
template <floating T>
TALLY_FN bits_of<T> rank_key(T x) {
  using bits = bits_of<T>;
  bits const b = to_bits(x);
  bits const magnitude = bits(b & bits(~format<T>::sign));
  bits const all_if_negative = bits(std::make_signed_t<bits>(b) >> (8 * sizeof(T) - 1));
  // Negated, a magnitude of zero is zero.
  bits const signed_magnitude = bits(bits(magnitude ^ all_if_negative) - all_if_negative);
  return magnitude > format<T>::infinity ? bits(~bits(0))
                                         : bits(signed_magnitude ^ format<T>::sign);
}

// The lesser or the greater of two floats, where -0.0 is less than +0.0; NaN if one of them is.
// GPUs have an instruction for it.
template <bool Least>
TALLY_FN float extreme_or_nan(float a, float b) {
#ifdef __CUDA_ARCH__
  float out;
  if constexpr (Least)
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(out) : "f"(a), "f"(b));
  else
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(out) : "f"(a), "f"(b));
  return out;
#else
  if (is_nan(a)) return a;
  if (is_nan(b)) return b;
  return (order_key(a) < order_key(b)) == Least ? a : b;
#endif
}

}  // namespace tally
