// SPDX-License-Identifier: Apache-2.0
//
// Floating-point values as integers, and where these belong, in few instructions: a device spends
// its time on them where values have little in common.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "tally/aggregate/fast_sum.hpp"
#include "tally/cuda/instructions.cuh"
#include "tally/exact/float_format.hpp"
#include "tally/types.hpp"

namespace tally::device {

template <class T>
__device__ float as_float(T x) {
  if constexpr (std::is_same_v<T, float>)
    return x;
  else
    return detail::to_float(x);
}
template <class T>
__device__ double as_double(T x) {
  if constexpr (std::is_same_v<T, double>)
    return x;
  else
    return double(as_float(x));
}
// As the nearest of float and double.
template <class T>
__device__ auto as_real(T x) {
  if constexpr (std::is_same_v<T, double>)
    return x;
  else
    return as_float(x);
}

// significand * 2^(position + lowest - 1), lowest that of T: the magnitude of a finite value. (What
// is not finite gives something of the next binade.)
template <class Integer>
struct placed {
  Integer significand;
  unsigned position;
};
template <floating T>
__device__ auto place(T x) {
  using f = format<T>;
  auto const b = to_bits(x);
  using whole = std::conditional_t<sizeof(T) == 8, std::int64_t, int>;
  whole const fraction = b & f::fraction, one = whole(1) << (f::precision - 1);
  unsigned const field = unsigned(b >> (f::precision - 1)) & f::max_field;
  if constexpr (sizeof(T) == 8)
    return field ? placed<whole>{fraction | one, field} : placed<whole>{fraction, 1};
  else  // one instruction less
    return placed<whole>{fraction + (field ? one : fraction), field};
}
// The magnitude as significand * 2^(8 row + lowest - 1), of at most row_bits bits. Its square is
// that of the significand * 2^(16 row + 2 (lowest - 1)).
template <class Integer>
struct in_rows {
  Integer significand;
  unsigned row;
};
template <class Integer>
__device__ in_rows<Integer> in_row(placed<Integer> p) {
  return {p.significand << p.position % 8, p.position / 8};
}
template <floating T>
inline constexpr int row_bits = format<T>::precision + 7;

// A value with its sign in such a row, and its significand in pieces, low + high * 2^16, of 16 bits
// or fewer and a sign.
struct in_pieces : in_rows<int> {
  int low, high;
};
template <floating T>
__device__ in_pieces pieces_of(T x) {
  auto const r = in_row(place(x));
  int const significand = to_bits(x) & format<T>::sign ? -r.significand : r.significand;
  return {{significand, r.row}, significand & 0xffff, significand >> 16};
}
// Here the units that add and multiply floats do it, which have less to do: a value is scaled so
// that the bits of its row are where those of all rows are, and extracted by a sigma that has them
// last.
template <floating T>
  requires(format<T>::max_field == format<float>::max_field)
__device__ in_pieces pieces_of(T x) {
  float const value = as_float(x);
  unsigned const of_row = to_bits(value) & 0x7c000000;
  float const scale = from_bits<float>(of_row ^ 0x7c800000);  // 2^(122 - 8 row)
  constexpr float unit = sizeof(T) == 4 ? 0x1p-28f : 0x1p-12f;
  static_assert(sizeof(T) == 4 ? format<T>::lowest == -149 : format<T>::lowest == -133);
  constexpr float sigma = 0x1.8p23f * unit, high_sigma = 0x1p16f * sigma;
  unsigned const row = of_row >> 26;
  auto const added_to = [](float x, float to) { return int(to_bits(x) - to_bits(to)); };
  if constexpr (row_bits<T> < 16) {
    int const low = added_to(fmaf(value, scale, sigma), sigma);
    return {{low, row}, low, 0};
  } else {
    float const upper = fmaf(value, scale, high_sigma);
    float const rest = fmaf(value, scale, high_sigma - upper);
    int const low = added_to(rest + sigma, sigma), high = added_to(upper, high_sigma);
    return {{int(unsigned(high) * 65536 + unsigned(low)), row}, low, high};
  }
}

// Which bit of a Number position 0 is, for products of so many factors.
template <floating T, class Number, int Factors = 1>
inline constexpr int first_bit = Factors * (format<T>::lowest - 1) - Number::lsb;

// Finds out by products with zero whether values are finite, beside the integer instructions that
// what is done with them consists of.
template <floating T>
class finite_check {
  using real = std::conditional_t<std::is_same_v<T, double>, double, float>;
  real zero_ = 0;
  unsigned zeros_ = 0;  // of 16-bit elements, two at once

 public:
  __device__ void look_at(T x) {
    if constexpr (std::is_same_v<T, double>)
      zero_ = fma(x, 0.0, zero_);
    else
      zero_ = fmaf(as_float(x), 0.0f, zero_);
  }
  template <class Batch>
  __device__ void look_at_all(Batch const& x) {
    if constexpr (half_word<T> && Batch::size % 2 == 0) {
#pragma unroll
      for (int k = 0; k < Batch::size; k += 2) zeros_ = zero_if_finite<T>(x.pair(k), zeros_);
    } else {
#pragma unroll
      for (int k = 0; k < Batch::size; ++k) look_at(x[k]);
    }
  }
  __device__ bool all_finite() const { return zero_ == 0 && zeros_ == 0; }
};
// The product of two significands.
__device__ inline std::int64_t product_of(int a, int b) { return std::int64_t(a) * b; }
__device__ inline __int128 product_of(std::int64_t a, std::int64_t b) {
  auto const low = std::uint64_t(a) * std::uint64_t(b);
  auto const high = __umul64hi(std::uint64_t(a), std::uint64_t(b));
  return static_cast<__int128>(high) << 64 | low;
}

}  // namespace tally::device
