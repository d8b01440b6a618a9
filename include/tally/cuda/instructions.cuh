// SPDX-License-Identifier: Apache-2.0
//
// Instructions that a compiler does not choose by itself, and what stands for them where code for a
// GPU is compiled for something else.
#pragma once

#include <cuda_runtime.h>

#include "tally/types.hpp"

namespace tally {

// Has the memory about an address brought into L2; a hint, for which no register waits.
__device__ inline void prefetch_to_l2([[maybe_unused]] void const* p) {
#ifdef __CUDA_ARCH__
  asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
#endif
}

// A relaxed load, for the threads of a block, of what is in shared memory, as the compiler need not
// see: the built-in function is for an address of any kind, which takes several times as long.
template <class T>
__device__ T look_at_shared(T& at) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
#ifdef __CUDA_ARCH__
  T x;
  auto const address = unsigned(__cvta_generic_to_shared(&at));
  if constexpr (sizeof(T) == 4)
    asm volatile("ld.relaxed.cta.shared.u32 %0, [%1];" : "=r"(x) : "r"(address) : "memory");
  else
    asm volatile("ld.relaxed.cta.shared.u64 %0, [%1];" : "=l"(x) : "r"(address) : "memory");
  return x;
#else
  return __nv_atomic_load_n(&at, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
#endif
}

// x with its last bit set if y is not zero.
__device__ inline int with_trace_of(int x, int y) {
#ifdef __CUDA_ARCH__
  int trace;
  asm("min.u32 %0, %1, 1;" : "=r"(trace) : "r"(y));
  return x | trace;
#else
  return x | int(y != 0);
#endif
}

// 2^i for i below 32, and else 0.
__device__ inline unsigned power_or_zero(unsigned i) {
#ifdef __CUDA_ARCH__
  unsigned power;
  asm("shl.b32 %0, 1, %1;" : "=r"(power) : "r"(i));
  return power;
#else
  return i < 32 ? 1u << i : 0;
#endif
}

// count, plus 1 if a + b is beyond their type: by a carry, where a comparison takes one more.
__device__ inline unsigned plus_carry(unsigned count, std::uint32_t a, std::uint32_t b) {
#ifdef __CUDA_ARCH__
  asm("{\n .reg .u32 sum;\n add.cc.u32 sum, %1, %2;\n addc.u32 %0, %0, 0;\n}"
      : "+r"(count)
      : "r"(a), "r"(b));
  return count;
#else
  return count + unsigned(a + b < a);
#endif
}
__device__ inline unsigned plus_carry(unsigned count, std::uint64_t a, std::uint64_t b) {
#ifdef __CUDA_ARCH__
  asm("{\n .reg .u64 sum;\n add.cc.u64 sum, %1, %2;\n addc.u32 %0, %0, 0;\n}"
      : "+r"(count)
      : "l"(a), "l"(b));
  return count;
#else
  return count + unsigned(a + b < a);
#endif
}

// 2 * x, and 1 more if a + b is beyond their type.
__device__ inline unsigned twice_and_carry(unsigned x, std::uint32_t a, std::uint32_t b) {
#ifdef __CUDA_ARCH__
  asm("{\n .reg .u32 sum;\n add.cc.u32 sum, %1, %2;\n addc.u32 %0, %0, %0;\n}"
      : "+r"(x)
      : "r"(a), "r"(b));
  return x;
#else
  return 2 * x + unsigned(a + b < a);
#endif
}
__device__ inline unsigned twice_and_carry(unsigned x, std::uint64_t a, std::uint64_t b) {
#ifdef __CUDA_ARCH__
  asm("{\n .reg .u64 sum;\n add.cc.u64 sum, %1, %2;\n addc.u32 %0, %0, %0;\n}"
      : "+r"(x)
      : "l"(a), "l"(b));
  return x;
#else
  return 2 * x + unsigned(a + b < a);
#endif
}

// Two numbers of 16 bits in one word, of which instructions take both at once.
template <class T>
concept half_word = is_one_of<T, float16, bfloat16>;

template <half_word T>
__device__ T half_of(unsigned word, int i) {
  return from_bits<T>(std::uint16_t(word >> (16 * i)));
}

// x, of which the compiler does not see that it is x: what it made of x before it makes again, and
// needs no registers until then.
template <half_word T>
__device__ T anew(T x) {
#ifdef __CUDA_ARCH__
  asm volatile("" : "+h"(x.bits));
#endif
  return x;
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

// x * factor as bits, for a factor of 1 or -1: both zeros are 0, and all NaNs are one.
__device__ inline unsigned plain_float(unsigned x, float factor) {
#ifdef __CUDA_ARCH__
  return __float_as_uint(__fmaf_rn(__uint_as_float(x), factor, 0.f));
#else
  unsigned const magnitude = x & 0x7fffffff;
  if (magnitude > 0x7f800000) return 0x7fffffff;
  return magnitude ? to_bits(from_bits<float>(x) * factor) : 0;
#endif
}
// The same of two numbers of 16 bits.
template <half_word T>
__device__ unsigned plain_halves(unsigned x, float factor) {
#ifdef __CUDA_ARCH__
  unsigned const factors = to_bits(T(factor)) * 0x10001u;
  unsigned out;
  if constexpr (std::is_same_v<T, bfloat16>)
    asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(out) : "r"(x), "r"(factors), "r"(0));
  else
    asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(out) : "r"(x), "r"(factors), "r"(0));
  return out;
#else
  auto const plain = [&](unsigned half) {
    unsigned const magnitude = half & 0x7fff;
    if (magnitude > (std::is_same_v<T, bfloat16> ? 0x7f80u : 0x7c00u)) return 0x7fffu;
    return magnitude ? half ^ (factor < 0 ? 0x8000u : 0u) : 0u;
  };
  return plain(x & 0xffff) | plain(x >> 16) << 16;
#endif
}

// The sums of two numbers, rounded once.
template <half_word T>
__device__ unsigned sums_of_halves(unsigned x, unsigned y) {
#ifdef __CUDA_ARCH__
  unsigned out;
  if constexpr (std::is_same_v<T, bfloat16>)
    asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(out) : "r"(x), "r"(0x3f803f80), "r"(y));
  else
    asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(out) : "r"(x), "r"(0x3c003c00), "r"(y));
  return out;
#else
  auto const sum = [&](int i) {
    return unsigned(to_bits(T(double(half_of<T>(x, i)) + double(half_of<T>(y, i)))));
  };
  return sum(0) | sum(1) << 16;
#endif
}

// 16 times the sign bit of each half.
__device__ inline unsigned signs_of_halves(unsigned x) {
#ifdef __CUDA_ARCH__
  unsigned signs;  // __byte_perm takes no signs
  asm("prmt.b32 %0, %1, %1, 0xbb99;" : "=r"(signs) : "r"(x));
  return signs;
#else
  return (x >> 15 & 0x10001u) * 0xffff;
#endif
}

}  // namespace tally
