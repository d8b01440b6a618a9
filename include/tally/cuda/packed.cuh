// SPDX-License-Identifier: Apache-2.0
//
// Elements of one or two bytes, several in a word of 32 bits, of which one instruction takes all.
#pragma once

#include "tally/cuda/instructions.cuh"

namespace tally {

template <class T>
concept narrow = element<T> && sizeof(T) <= 2;
template <class T>
concept narrow_integer = narrow<T> && integer<T>;

// The better of the elements of 16 bits that stand in the same half of a word, the lesser or the
// greater. -0.0 is less than +0.0; a NaN is better than numbers, or, if SkipsNan, worse than all.
template <element T, bool Least, bool SkipsNan = false>
  requires(sizeof(T) == 2)
TALLY_FN unsigned better_halves(unsigned a, unsigned b) {
#ifdef __CUDA_ARCH__
  unsigned out;
  if constexpr (std::is_same_v<T, float16> && SkipsNan && Least)
    asm("min.f16x2 %0, %1, %2;" : "=r"(out) : "r"(a), "r"(b));
  else if constexpr (std::is_same_v<T, float16> && SkipsNan)
    asm("max.f16x2 %0, %1, %2;" : "=r"(out) : "r"(a), "r"(b));
  else if constexpr (std::is_same_v<T, float16> && Least)
    asm("min.NaN.f16x2 %0, %1, %2;" : "=r"(out) : "r"(a), "r"(b));
  else if constexpr (std::is_same_v<T, float16>)
    asm("max.NaN.f16x2 %0, %1, %2;" : "=r"(out) : "r"(a), "r"(b));
  else if constexpr (std::is_same_v<T, bfloat16> && SkipsNan && Least)
    asm("min.bf16x2 %0, %1, %2;" : "=r"(out) : "r"(a), "r"(b));
  else if constexpr (std::is_same_v<T, bfloat16> && SkipsNan)
    asm("max.bf16x2 %0, %1, %2;" : "=r"(out) : "r"(a), "r"(b));
  else if constexpr (std::is_same_v<T, bfloat16> && Least)
    asm("min.NaN.bf16x2 %0, %1, %2;" : "=r"(out) : "r"(a), "r"(b));
  else if constexpr (std::is_same_v<T, bfloat16>)
    asm("max.NaN.bf16x2 %0, %1, %2;" : "=r"(out) : "r"(a), "r"(b));
  else if constexpr (std::is_signed_v<T>)
    out = Least ? __vmins2(a, b) : __vmaxs2(a, b);
  else
    out = Least ? __vminu2(a, b) : __vmaxu2(a, b);
  return out;
#else
  auto const better = [](unsigned x, unsigned y) {
    if constexpr (half_word<T>) {
      constexpr int infinity = std::is_same_v<T, float16> ? 0x7c00 : 0x7f80;
      int const size_of_x = x & 0x7fff, size_of_y = y & 0x7fff;
      bool const nan = size_of_x > infinity;
      if (nan || size_of_y > infinity) return nan != SkipsNan ? x : y;
      return ((x >> 15 ? ~size_of_x : size_of_x) < (y >> 15 ? ~size_of_y : size_of_y)) == Least ? x
                                                                                                : y;
    } else {
      return (T(x) < T(y)) == Least ? x : y;
    }
  };
  return better(a & 0xffff, b & 0xffff) | better(a >> 16, b >> 16) << 16;
#endif
}

// The sum of `before` and a word's elements; the sum is signed if they are.
template <narrow_integer T>
using word_sum = std::conditional_t<std::is_signed_v<T>, int, unsigned>;
template <narrow_integer T>
__device__ word_sum<T> plus_elements(word_sum<T> before, unsigned word) {
  if constexpr (sizeof(T) == 1) {
    return __dp4a(word_sum<T>(word), word_sum<T>(0x01010101), before);
  } else {
#ifdef __CUDA_ARCH__
    return __dp2a_lo(word_sum<T>(word), word_sum<T>(0x0101), before);
#else
    return before + word_sum<T>(T(word)) + word_sum<T>(T(word >> 16));
#endif
  }
}

// The sum of `before` and the products of the two halves of a word, elements of 16 bits, with bytes
// of another: those from byte `First` on, which are signed or not.
template <narrow_integer T, class Byte, int First>
  requires(sizeof(T) == 2 && sizeof(Byte) == 1 && (First == 0 || First == 2))
__device__ word_sum<T> plus_products(word_sum<T> before, unsigned halves, unsigned bytes) {
#ifdef __CUDA_ARCH__
  word_sum<T> out;
  if constexpr (std::is_signed_v<T> && std::is_signed_v<Byte> && First == 0)
    asm("dp2a.lo.s32.s32 %0, %1, %2, %3;" : "=r"(out) : "r"(halves), "r"(bytes), "r"(before));
  else if constexpr (std::is_signed_v<T> && std::is_signed_v<Byte>)
    asm("dp2a.hi.s32.s32 %0, %1, %2, %3;" : "=r"(out) : "r"(halves), "r"(bytes), "r"(before));
  else if constexpr (std::is_signed_v<T> && First == 0)
    asm("dp2a.lo.s32.u32 %0, %1, %2, %3;" : "=r"(out) : "r"(halves), "r"(bytes), "r"(before));
  else if constexpr (std::is_signed_v<T>)
    asm("dp2a.hi.s32.u32 %0, %1, %2, %3;" : "=r"(out) : "r"(halves), "r"(bytes), "r"(before));
  else if constexpr (First == 0)
    asm("dp2a.lo.u32.u32 %0, %1, %2, %3;" : "=r"(out) : "r"(halves), "r"(bytes), "r"(before));
  else
    asm("dp2a.hi.u32.u32 %0, %1, %2, %3;" : "=r"(out) : "r"(halves), "r"(bytes), "r"(before));
  return out;
#else
  auto const product = [&](int i) {
    return word_sum<T>(T(halves >> (16 * i))) * word_sum<T>(Byte(bytes >> (8 * (First + i))));
  };
  return before + product(0) + product(1);
#endif
}

}  // namespace tally
