// SPDX-License-Identifier: Apache-2.0
//
// Numbers taken apart into integers, and integers rounded to a floating-point type. Nothing here
// but to_float() uses floating-point arithmetic, so neither the caller's rounding mode, nor
// flush-to-zero, nor compiler flags can change a bit.
#pragma once

#include "tally/types.hpp"

namespace tally {

// The layout of a binary floating-point type T.
template <floating T>
struct format {
  static constexpr int precision = is_one_of<T, float16>      ? 11
                                   : is_one_of<T, bfloat16>   ? 8
                                   : std::is_same_v<T, float> ? 24
                                                              : 53;  // significand bits
  static constexpr int width = 8 * sizeof(T);
  static constexpr int bias = (1 << (width - precision - 1)) - 1;
  static constexpr int max_field = 2 * bias + 1;             // of infinity and NaN
  static constexpr int lowest = 1 - bias - (precision - 1);  // exponent of the last subnormal bit
  using bits = bits_of<T>;
  static constexpr bits sign = bits(bits(1) << (width - 1));
  static constexpr bits infinity = bits(bits(max_field) << (precision - 1));
  static constexpr bits fraction = bits((bits(1) << (precision - 1)) - 1);
  static constexpr bits quiet_nan = bits(infinity | bits(1) << (precision - 2));
};

template <floating T>
TALLY_FN bool is_nan(T x) {
  return (to_bits(x) & bits_of<T>(~format<T>::sign)) > format<T>::infinity;
}
template <integer T>
TALLY_FN constexpr bool is_nan(T) {
  return false;
}
template <floating T>
TALLY_FN bool is_finite(T x) {
  return (to_bits(x) & format<T>::infinity) != format<T>::infinity;
}

// The NaN that every computation returns: positive, quiet, no payload.
template <floating T>
TALLY_FN T quiet_nan() {
  return from_bits<T>(format<T>::quiet_nan);
}
template <floating T>
TALLY_FN T infinity(bool negative = false) {
  return from_bits<T>(bits_of<T>(format<T>::infinity | (negative ? format<T>::sign : 0)));
}

// A finite number as integers: (negative ? -1 : 1) * significand * 2^exponent.
struct unpacked {
  bool negative;
  std::uint64_t significand;
  int exponent;
};

template <floating T>
TALLY_FN unpacked take_apart(T x) {
  using f = format<T>;
  auto const b = to_bits(x);
  int const field = int((b & f::infinity) >> (f::precision - 1));
  std::uint64_t const fraction = b & f::fraction;
  bool const negative = (b & f::sign) != 0;
  if (field == 0) return {negative, fraction, f::lowest};
  return {negative, fraction | std::uint64_t(1) << (f::precision - 1), field - 1 + f::lowest};
}
template <integer T>
TALLY_FN unpacked take_apart(T x) {
  bool negative = false;
  if constexpr (std::is_signed_v<T>) negative = x < 0;
  return {negative, negative ? std::uint64_t(0) - std::uint64_t(x) : std::uint64_t(x), 0};
}

// Rounds significand * 2^(exponent - 63) to nearest, ties to even. The significand's top bit is
// set, so `exponent` is the leading bit's; `sticky` says that the exact value is larger by less
// than one unit of the significand's last bit.
template <floating T>
TALLY_HD inline T round_to(bool negative, std::uint64_t significand, int exponent, bool sticky) {
  using f = format<T>;
  using bits = bits_of<T>;
  bits const sign = negative ? f::sign : bits(0);
  if (exponent > f::bias) return from_bits<T>(bits(sign | f::infinity));
  int const last = exponent - f::precision + 1;  // the result's last bit
  int const drop = 64 - f::precision + (last < f::lowest ? f::lowest - last : 0);
  if (drop > 64) return from_bits<T>(sign);  // below half the least subnormal
  std::uint64_t const kept = drop == 64 ? 0 : significand >> drop;
  std::uint64_t const half = std::uint64_t(1) << (drop - 1);
  std::uint64_t const rest = significand & (half | (half - 1));
  bool const up = rest > half || (rest == half && (sticky || (kept & 1)));
  // For a normal number the hidden bit adds one to the field; a carry out of the fraction does too.
  std::uint64_t const field = last < f::lowest ? 0 : std::uint64_t(exponent + f::bias - 1);
  std::uint64_t const magnitude = (field << (f::precision - 1)) + kept + (up ? 1 : 0);
  return from_bits<T>(bits(sign | bits(magnitude)));
}

// x as another floating type, rounded once; a NaN becomes the quiet NaN.
template <floating To, floating From>
TALLY_HD inline To convert(From x) {
  if (is_nan(x)) return quiet_nan<To>();
  if constexpr (std::is_same_v<To, From>) {
    return x;
  } else {
    bool const negative = (to_bits(x) & format<From>::sign) != 0;
    if (!is_finite(x)) return infinity<To>(negative);
    auto const p = take_apart(x);
    if (p.significand == 0) return from_bits<To>(negative ? format<To>::sign : bits_of<To>(0));
    int const shift = leading_zeros(p.significand);
    return round_to<To>(negative, p.significand << shift, p.exponent + 63 - shift, false);
  }
}

TALLY_HD inline float16::float16(double value) : float16(convert<float16>(value)) {}
TALLY_HD inline bfloat16::bfloat16(double value) : bfloat16(convert<bfloat16>(value)) {}
TALLY_HD inline float16::operator double() const { return convert<double>(*this); }
TALLY_HD inline bfloat16::operator double() const { return convert<double>(*this); }

namespace detail {

// How values of T lie among those of `host`, a float or for doubles a double: `not_finite` is the
// exponent field of the first value that is not finite, `min_normal` that of the least normal one.
template <floating T>
struct seen_as {
  using host = std::conditional_t<std::is_same_v<T, double>, double, float>;
  static constexpr int not_finite = is_one_of<T, float16> ? 127 + 16 : format<host>::max_field;
  static constexpr int min_normal = is_one_of<T, float16> ? 127 - 14 : 1;
  static constexpr int precision = format<T>::precision;
};

// x as a float, NaN and infinities too, in code that vectorises. The multiplication is exact, but
// wants subnormal numbers as they are.
TALLY_FN float to_float(bfloat16 x) {
  return __builtin_bit_cast(float, std::uint32_t(x.bits) << 16);
}
TALLY_FN float to_float(float16 x) {
#ifdef __CUDA_ARCH__
  float out;
  asm("cvt.f32.f16 %0, %1;" : "=f"(out) : "h"(x.bits));
  return out;
#else
  std::uint32_t const magnitude = std::uint32_t(x.bits & 0x7fff) << 13;
  auto const value =
      __builtin_bit_cast(std::uint32_t, __builtin_bit_cast(float, magnitude) * 0x1p112f);
  std::uint32_t const special = magnitude | 0x7f800000;
  return __builtin_bit_cast(
      float, (magnitude >= 0x7c00 << 13 ? special : value) | std::uint32_t(x.bits & 0x8000) << 16);
#endif
}
// x, which is no NaN, rounded once.
TALLY_FN float16 to_float16(float x) {
#ifdef __CUDA_ARCH__
  float16 out;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(out.bits) : "f"(x));
  return out;
#else
  return convert<float16>(x);
#endif
}

}  // namespace detail

}  // namespace tally
