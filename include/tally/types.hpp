// SPDX-License-Identifier: Apache-2.0
//
// The element types: bool, the integers of 8 to 64 bits, float16, bfloat16, float and double.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

// On the host and on a device: TALLY_FN marks what aggregates run for every element, always
// inlined; TALLY_HD what runs a few times a call; TALLY_COLD what hardly ever runs. TALLY_UNROLL
// stands before a loop over elements that are in registers there. TALLY_CPU_FN and TALLY_CPU_COLD
// are as TALLY_FN and TALLY_COLD, for the host alone: nvcc refuses vectors, and calls of std, in
// the others.
#ifdef __CUDACC__
#define TALLY_FN __host__ __device__ __forceinline__
#define TALLY_HD __host__ __device__
#define TALLY_COLD __host__ __device__
#else
#define TALLY_FN inline __attribute__((always_inline))
#define TALLY_HD
#define TALLY_COLD __attribute__((noinline, cold))
#endif
#ifdef __CUDA_ARCH__
#define TALLY_UNROLL _Pragma("unroll")
#define TALLY_ROLL _Pragma("unroll 1")
#else
#define TALLY_UNROLL
#define TALLY_ROLL
#endif
#define TALLY_CPU_FN inline __attribute__((always_inline))
#define TALLY_CPU_COLD __attribute__((noinline, cold))

namespace tally {

// IEEE binary16 and bfloat16 as storage: 16 bits with a meaning. Arithmetic happens elsewhere, on
// exact values; conversions round to nearest, ties to even (exact/float_format.hpp).
struct float16 {
  std::uint16_t bits = 0;
  float16() = default;
  TALLY_HD explicit float16(double value);
  TALLY_HD explicit operator double() const;
  TALLY_HD static constexpr float16 from_bits(std::uint16_t b) {
    return __builtin_bit_cast(float16, b);
  }
};

struct bfloat16 {
  std::uint16_t bits = 0;
  bfloat16() = default;
  TALLY_HD explicit bfloat16(double value);
  TALLY_HD explicit operator double() const;
  TALLY_HD static constexpr bfloat16 from_bits(std::uint16_t b) {
    return __builtin_bit_cast(bfloat16, b);
  }
};

template <class T, class... Ts>
inline constexpr bool is_one_of = (std::is_same_v<T, Ts> || ...);

template <class T>
concept floating = is_one_of<T, float16, bfloat16, float, double>;

// bool counts as the integer 0 or 1.
template <class T>
concept integer = is_one_of<T, bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t,
                            std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;

template <class T>
concept element = floating<T> || integer<T>;

// The unsigned integer as wide as T.
template <class T>
using bits_of = std::conditional_t<
    sizeof(T) == 1, std::uint8_t,
    std::conditional_t<sizeof(T) == 2, std::uint16_t,
                       std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;

namespace detail {

template <class T>
struct counts {
  using as = T;
};
template <class T>
  requires(is_one_of<T, short, int, long, long long> && !integer<T>)
struct counts<T> {
  using as = std::make_signed_t<bits_of<T>>;
};
template <class T>
  requires(is_one_of<T, unsigned short, unsigned, unsigned long, unsigned long long> && !integer<T>)
struct counts<T> {
  using as = bits_of<T>;
};
template <>
struct counts<std::byte> {
  using as = std::uint8_t;
};

}  // namespace detail

// The element that a T is in other words: long long where std::int64_t is long, or long where that
// is long long, and std::byte, which is std::uint8_t. All other types are what they are.
template <class T>
using counts_as = typename detail::counts<T>::as;

namespace detail {

// One of a compiler's own arithmetic types, which std takes for such or does not.
template <class T, std::size_t Size>
inline constexpr bool is_extended =
    !std::is_class_v<T> && sizeof(T) == Size && requires(T x) { x + x; };

// Does not compile if T is no element, and says what is in its place.
template <class T>
constexpr void require_element() {
  constexpr bool is = element<T>;
  if constexpr (std::is_same_v<T, char>)
    static_assert(is,
                  "char is no element type, as its sign differs between machines: signed char "
                  "and unsigned char are");
  else if constexpr (std::is_same_v<T, char8_t>)
    static_assert(is, "char8_t is no element type: unsigned char is");
  else if constexpr (std::is_same_v<T, char16_t>)
    static_assert(is, "char16_t is no element type: std::uint16_t is");
  else if constexpr (std::is_same_v<T, char32_t>)
    static_assert(is, "char32_t is no element type: std::uint32_t is");
  else if constexpr (std::is_same_v<T, wchar_t>)
    static_assert(is,
                  "wchar_t is no element type, as its size and sign differ between machines: "
                  "std::int32_t and std::uint32_t are");
  else if constexpr (!std::is_same_v<T, counts_as<T>>)
    static_assert(is,
                  "a type that counts as an element where calls are given it; here name the "
                  "element: std::int64_t for long long, std::uint8_t for std::byte");
  else if constexpr (std::is_same_v<T, long double>)
    static_assert(is, "long double is no element type: double is");
  else if constexpr (std::is_enum_v<T>)
    static_assert(is, "an enumeration is no element type: the integer under it is");
  else if constexpr (is_extended<T, 2>)
    static_assert(is,
                  "_Float16 and __bf16 are no element types: tally::float16 and "
                  "tally::bfloat16, of the same bits, are");
  else if constexpr (is_extended<T, 16>)
    static_assert(is, "__int128 and __float128 are no element types: they are of 64 bits at most");
  else
    static_assert(is,
                  "no element type: these are bool, integers of 8 to 64 bits, tally::float16, "
                  "tally::bfloat16, float and double");
}

}  // namespace detail

template <class T>
TALLY_FN bits_of<T> to_bits(T x) {
  return __builtin_bit_cast(bits_of<T>, x);
}
template <class T>
TALLY_FN T from_bits(bits_of<T> b) {
  return __builtin_bit_cast(T, b);
}

// How many of the bits above the highest one that is set, of 64.
TALLY_FN int leading_zeros(std::uint64_t x) {
#ifdef __CUDA_ARCH__
  return __clzll((long long)x);
#else
  return std::countl_zero(x);
#endif
}

// int64_t for signed integers, uint64_t for unsigned ones and bool: what integer sums come back as.
template <integer T>
using widest = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;

}  // namespace tally
