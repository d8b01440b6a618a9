// SPDX-License-Identifier: Apache-2.0
//
// Short vectors for tile loops, in the compiler's own vector extension: element-wise operators, and
// comparisons that give masks. Only the width differs between instruction sets.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "tally/types.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"  // all of it is inlined, so no calling convention matters

// These stand before a loop over vectors that are to stay in registers, and before one over few
// elements that is to become one of vectors.
#ifdef __CUDACC__
#define TALLY_CPU_UNROLL
#define TALLY_CPU_ROLL
#else
#define TALLY_CPU_UNROLL _Pragma("GCC unroll 8")
#define TALLY_CPU_ROLL _Pragma("GCC unroll 1")
#endif

// Instructions are named where g++ does not find them. clang finds them, and refuses operands that
// the baseline has not.
#if defined(__x86_64__) && !defined(__CUDACC__) && !defined(__clang__)
#define TALLY_NAMES_INSTRUCTIONS
#endif

namespace tally::detail {

template <class T, int Lanes>
struct vector_type {
  typedef T type __attribute__((vector_size(sizeof(T) * Lanes)));
};
template <class T, int Lanes>
using vec = typename vector_type<T, Lanes>::type;

template <class V, class T>
TALLY_CPU_FN V load(T const* from) {
  V v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}
// Stores the first `count` lanes of v, or all if it has no more.
template <class V, class T>
TALLY_CPU_FN void store_some(V v, T* to, int count) {
  constexpr int lanes = sizeof v / sizeof(T);
  if (count >= lanes) {
    __builtin_memcpy(static_cast<void*>(to), &v, sizeof v);
  } else if (count > 0) {
    V const here = v;  // so that v itself may stay in a register
    __builtin_memcpy(static_cast<void*>(to), &here, std::size_t(count) * sizeof(T));
  }
}
template <class To, class From>
TALLY_CPU_FN To cast(From v) {
  return __builtin_bit_cast(To, v);
}
template <class V>
TALLY_CPU_FN V max_of(V a, V b) {
  return a > b ? a : b;
}
template <class V>
TALLY_CPU_FN V min_of(V a, V b) {
  return a < b ? a : b;
}

// The product of numbers below 2^32, where vectors have VectorBytes. (g++ would make it of three
// products, as for longer numbers.)
template <int VectorBytes, int Lanes>
TALLY_CPU_FN vec<std::uint64_t, Lanes> multiply_low(vec<std::uint64_t, Lanes> a,
                                                    vec<std::uint64_t, Lanes> b) {
#ifdef TALLY_NAMES_INSTRUCTIONS
  if constexpr (sizeof a == 32 && VectorBytes >= 32) {
    vec<std::uint64_t, Lanes> product;
    asm("vpmuludq %2, %1, %0" : "=v"(product) : "v"(a), "v"(b));
    return product;
  }
#endif
  return a * b;
}

// Lanes [Half * Lanes / 2, ...) of v.
template <int Half, class T, int Lanes>
TALLY_CPU_FN vec<T, Lanes / 2> half_of(vec<T, Lanes> v) {
  vec<T, Lanes / 2> h;
  __builtin_memcpy(&h, reinterpret_cast<char const*>(&v) + Half * sizeof h, sizeof h);
  return h;
}

// Floats as doubles. (g++ 12 converts wide vectors by halves.)
template <int Lanes>
TALLY_CPU_FN vec<double, Lanes> to_doubles(vec<float, Lanes> v) {
#ifdef TALLY_NAMES_INSTRUCTIONS
  if constexpr (Lanes == 8) {
    vec<double, 8> wide;
    asm("vcvtps2pd %1, %0" : "=v"(wide) : "v"(v));
    return wide;
  }
#endif
  return __builtin_convertvector(v, vec<double, Lanes>);
}

// Floats in memory as doubles. The load spreads them out; in a register, that is the work of
// another unit.
template <int Lanes>
TALLY_CPU_FN vec<double, Lanes> load_doubles(float const* from) {
#ifdef TALLY_NAMES_INSTRUCTIONS
  using floats = float const(&)[Lanes];
  if constexpr (Lanes == 8 || Lanes == 4) {
    vec<double, Lanes> wide;
    asm("vcvtps2pd %1, %0" : "=v"(wide) : "m"(reinterpret_cast<floats>(*from)));
    return wide;
  }
#endif
  return to_doubles<Lanes>(load<vec<float, Lanes>>(from));
}

// 16-bit lanes as 32-bit ones.
template <int Lanes>
TALLY_CPU_FN vec<std::uint32_t, Lanes> widened(vec<std::uint16_t, Lanes> v) {
#ifdef TALLY_NAMES_INSTRUCTIONS
  if constexpr (Lanes == 16) {
    vec<std::uint32_t, Lanes> wide;
    asm("vpmovzxwd %1, %0" : "=v"(wide) : "v"(v));
    return wide;
  }
#endif
  return __builtin_convertvector(v, vec<std::uint32_t, Lanes>);
}

// Whether every processor that has vectors so wide converts float16 to floats: 8 and 16 lanes on
// x86.
template <int Lanes>
inline constexpr bool converts_float16 =
#ifdef TALLY_NAMES_INSTRUCTIONS
    Lanes == 8 || Lanes == 16;
#else
    false;
#endif
template <int Lanes>
TALLY_CPU_FN vec<float, Lanes> float16_to_floats([[maybe_unused]] vec<std::uint16_t, Lanes> v) {
  vec<float, Lanes> wide{};
#ifdef TALLY_NAMES_INSTRUCTIONS
  asm("vcvtph2ps %1, %0" : "=v"(wide) : "v"(v));
#endif
  return wide;
}

// Finite float16 as floats of the same value; the others are not finite, or 2^16 and more.
template <int Lanes>
TALLY_CPU_FN vec<float, Lanes> float16_as_floats(vec<std::uint16_t, Lanes> half) {
  if constexpr (converts_float16<Lanes>) {
    return float16_to_floats<Lanes>(half);
  } else {
    using bits = vec<std::uint32_t, Lanes>;
    bits const wide = widened<Lanes>(half);
    // The fraction and exponent land in a float's; 2^112 is the difference of the two biases.
    auto const value = cast<vec<float, Lanes>>((wide & 0x7fff) << 13) * 0x1p112f;
    return cast<vec<float, Lanes>>(cast<bits>(value) | (wide & 0x8000) << 16);
  }
}

// Whether vectors of so many bytes have fused operations, which baseline processors have not; the
// caller's compiler may have been told not to use them.
template <int Bytes>
inline constexpr bool has_fused =
#if defined(TALLY_NAMES_INSTRUCTIONS) && defined(TALLY_NO_CONTRACTION)
    Bytes >= 32;
#else
    false;
#endif

// x * y + z of every lane, rounded once. There is no operator for that, and loops over lanes do not
// always become vectors again.
template <class V>
TALLY_CPU_FN V fused(V x, V y, V z) {
  constexpr bool is_double = sizeof x[0] == 8;
  if constexpr (!has_fused<sizeof x>) {
    for (unsigned i = 0; i < sizeof x / sizeof x[0]; ++i)
      x[i] = is_double ? __builtin_fma(x[i], y[i], z[i]) : __builtin_fmaf(x[i], y[i], z[i]);
  } else if constexpr (is_double) {
    asm("vfmadd132pd %1, %2, %0" : "+v"(x) : "vm"(y), "v"(z));
  } else {
    asm("vfmadd132ps %1, %2, %0" : "+v"(x) : "vm"(y), "v"(z));
  }
  return x;
}
// x * y - z
template <class V>
TALLY_CPU_FN V fused_minus(V x, V y, V z) {
  if constexpr (!has_fused<sizeof x>)
    return fused(x, y, -z);
  else if constexpr (sizeof x[0] == 8)
    asm("vfmsub132pd %1, %2, %0" : "+v"(x) : "vm"(y), "v"(z));
  else
    asm("vfmsub132ps %1, %2, %0" : "+v"(x) : "vm"(y), "v"(z));
  return x;
}

// x + y and x - y, by a fused multiplication with 1: processors add in other units than they
// multiply in, and conversions take the units of additions.
template <class V>
TALLY_CPU_FN V plus_fused(V x, V y) {
  V one{};
  one += 1;
  if constexpr (has_fused<sizeof x>) return fused(x, one, y);
  return x + y;
}
template <class V>
TALLY_CPU_FN V minus_fused(V x, V y) {
  V one{};
  one += 1;
  if constexpr (has_fused<sizeof x>) return fused_minus(x, one, y);
  return x - y;
}

#ifndef __CUDACC__  // nvcc 13 loses the pack
// v turned so that lane By comes first.
template <int By, class V, int... I>
TALLY_CPU_FN V turned(V v, std::integer_sequence<int, I...>) {
  return __builtin_shufflevector(v, v, ((I + By) % int(sizeof...(I)))...);
}
// All lanes of what it returns have the fold of the lanes; f is called with vectors.
template <int By, class F, class V>
TALLY_CPU_FN V folded_in_place(V v, F&& f) {
  if constexpr (By == 0)
    return v;
  else
    return folded_in_place<By / 2>(
        f(v, turned<By>(v, std::make_integer_sequence<int, int(sizeof v / sizeof v[0])>{})), f);
}
#endif

// Puts the lanes together by f, which is called with halves of the vector and then with elements,
// or if these are many with vectors.
template <class F, class V>
TALLY_CPU_FN auto fold_lanes(V v, F&& f) {
  using element = std::remove_cvref_t<decltype(v[0])>;
  constexpr int lanes = sizeof v / sizeof(element);
  if constexpr (sizeof v > 16) {
    return fold_lanes(f(half_of<0, element, lanes>(v), half_of<1, element, lanes>(v)), f);
#ifndef __CUDACC__
  } else if constexpr (lanes > 4) {
    return element(folded_in_place<lanes / 2>(v, f)[0]);
#endif
  } else {
    auto out = v[0];
    for (unsigned i = 1; i < sizeof v / sizeof v[0]; ++i) out = f(out, v[i]);
    return out;
  }
}

template <class V>
TALLY_CPU_FN auto least_lane(V v) {
  return fold_lanes(v, [](auto a, auto b) { return a < b ? a : b; });
}
template <class V>
TALLY_CPU_FN auto greatest_lane(V v) {
  return fold_lanes(v, [](auto a, auto b) { return a > b ? a : b; });
}

// out[i] = {a[i], b[i]}
template <class T, int Lanes, int... I>
TALLY_CPU_FN void side_by_side(vec<T, Lanes> a, vec<T, Lanes> b, vec<T, 2> (&out)[Lanes],
                               std::integer_sequence<int, I...>) {
#ifdef __CUDACC__  // nvcc 13 loses the pack
  for (int i = 0; i < Lanes; ++i) out[i] = vec<T, 2>{a[i], b[i]};
#else
  // Lanes are put side by side within each 16 bytes, which is one instruction.
  auto const even = __builtin_shufflevector(a, b, (I % 2 * Lanes + I / 2 * 2)...);
  auto const odd = __builtin_shufflevector(a, b, (I % 2 * Lanes + I / 2 * 2 + 1)...);
  T both[2][Lanes];
  __builtin_memcpy(both[0], &even, sizeof even);
  __builtin_memcpy(both[1], &odd, sizeof odd);
  TALLY_CPU_UNROLL
  for (int i = 0; i < Lanes; ++i) __builtin_memcpy(&out[i], &both[i % 2][i / 2 * 2], sizeof out[i]);
#endif
}
template <class T, int Lanes>
TALLY_CPU_FN void side_by_side(vec<T, Lanes> a, vec<T, Lanes> b, vec<T, 2> (&out)[Lanes]) {
  side_by_side<T, Lanes>(a, b, out, std::make_integer_sequence<int, Lanes>{});
}

// Whether a mask has a lane set.
template <class Mask>
TALLY_CPU_FN bool any(Mask mask) {
#ifdef TALLY_NAMES_INSTRUCTIONS
  bool found;
  if constexpr (sizeof mask == 64) {
    asm("vptestmd %1, %1, %%k1; kortestw %%k1, %%k1" : "=@ccnz"(found) : "v"(mask) : "k1");
    return found;
  } else if constexpr (sizeof mask == 32) {
    asm("vptest %1, %1" : "=@ccnz"(found) : "x"(mask));
    return found;
  }
#endif
  return fold_lanes(cast<vec<std::uint64_t, sizeof mask / 8>>(mask),
                    [](auto a, auto b) { return a | b; }) != 0;
}

}  // namespace tally::detail

#pragma GCC diagnostic pop
