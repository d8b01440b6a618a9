// SPDX-License-Identifier: Apache-2.0
//
// Two numbers of 16 bits in one word, of which instructions take both at once.
#pragma once

#include <cuda_runtime.h>

#include "tally/types.hpp"

namespace tally {

template <class T>
concept half_word = is_one_of<T, float16, bfloat16>;

template <half_word T>
__device__ T half_of(unsigned word, int i) {
  return from_bits<T>(std::uint16_t(word >> (16 * i)));
}

// What is less of x + offset and `least`.
__device__ inline unsigned least_halves(unsigned x, unsigned offset, unsigned least) {
#ifdef __CUDA_ARCH__
  return __viaddmin_u16x2(x, offset, least);
#else
  unsigned const low = (x + offset) & 0xffff, high = ((x >> 16) + (offset >> 16)) & 0xffff;
  unsigned const a = least & 0xffff, b = least >> 16;
  return (low < a ? low : a) | (high < b ? high : b) << 16;
#endif
}

// Two floats that are no NaN, rounded once, the first in the lower half.
template <half_word T>
__device__ unsigned halves_of(float first, float second) {
#ifdef __CUDA_ARCH__
  unsigned out;
  if constexpr (std::is_same_v<T, bfloat16>)
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(out) : "f"(second), "f"(first));
  else
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(out) : "f"(second), "f"(first));
  return out;
#else
  return T(double(first)).bits | unsigned(T(double(second)).bits) << 16;
#endif
}

// Whether a number differs from the other's, where there are no NaN: both zeros are the same.
template <half_word T>
__device__ bool halves_differ(unsigned a, unsigned b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  unsigned ones;
  if constexpr (std::is_same_v<T, bfloat16>)
    asm("set.neu.bf16x2.bf16x2 %0, %1, %2;" : "=r"(ones) : "r"(a), "r"(b));
  else
    asm("set.neu.f16x2.f16x2 %0, %1, %2;" : "=r"(ones) : "r"(a), "r"(b));
  return ones != 0;
#else
  auto const differs = [&](int i) { return double(half_of<T>(a, i)) != double(half_of<T>(b, i)); };
  return differs(0) || differs(1);
#endif
}

// 0 * x + sum, which is 0 as long as all x are finite; a NaN else.
template <half_word T>
__device__ unsigned zero_if_finite(unsigned x, unsigned sum) {
#ifdef __CUDA_ARCH__
  unsigned out;
  if constexpr (std::is_same_v<T, bfloat16>)
    asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(out) : "r"(x), "r"(0), "r"(sum));
  else
    asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(out) : "r"(x), "r"(0), "r"(sum));
  return out;
#else
  double const zero = 0 * double(half_of<T>(x, 0)) + 0 * double(half_of<T>(x, 1));
  return zero == 0 ? sum : ~0u;
#endif
}

}  // namespace tally
