// SPDX-License-Identifier: Apache-2.0
//
// What comes of narrow elements that a thread has read, several of which are in a word.
#pragma once

#include "tally/cuda/packed.cuh"
#include "tally/device/input/batch.cuh"

namespace tally::device {

// The sum of the elements of a batch of narrow integers, and that of their products with those of
// another.
inline constexpr int most_in_words = 128;  // elements, of which 32 bits hold what they come to
template <narrow_integer T, class Batch>
__device__ word_sum<T> sum_of_words(Batch const& x) {
  static_assert(Batch::size <= most_in_words);  // 2^16 each
  word_sum<T> sum = 0;
#pragma unroll
  for (int i = 0; i < Batch::words; ++i) sum = plus_elements<T>(sum, x.word(i));
  return sum;
}
template <narrow_integer T, class Batch>
__device__ std::uint64_t products_of_words(Batch const& x, Batch const& y) {
  static_assert(Batch::size <= most_in_words);
  using byte = std::conditional_t<std::is_signed_v<T>, std::int8_t, std::uint8_t>;
  word_sum<T> low = 0, high = 0;
  if constexpr (sizeof(T) == 1) {  // 2^16 each
#pragma unroll
    for (int i = 0; i < Batch::words; ++i)
      low = __dp4a(word_sum<T>(x.word(i)), word_sum<T>(y.word(i)), low);
  } else {  // an element times the other's upper byte and its lower one: less than 2^24, or 2^23
#pragma unroll
    for (int i = 0; i < Batch::words; i += 2) {
      bool const two = i + 1 < Batch::words;
      unsigned const a = x.word(i), b = two ? x.word(i + 1) : 0;
      unsigned const c = y.word(i), d = two ? y.word(i + 1) : 0;
      unsigned const lower = __byte_perm(c, d, 0x6420), upper = __byte_perm(c, d, 0x7531);
      low = plus_products<T, std::uint8_t, 0>(low, a, lower);
      low = plus_products<T, std::uint8_t, 2>(low, b, lower);
      high = plus_products<T, byte, 0>(high, a, upper);
      high = plus_products<T, byte, 2>(high, b, upper);
    }
  }
  using wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
  return std::uint64_t(wide(low) + wide(high) * 256);
}

// Pairs of which the elements of either side are whole words.
template <class Batch>
concept pairs_in_words = requires {
  requires decltype(Batch::first)::in_words;
  requires decltype(Batch::second)::in_words;
};

// Where a vector of narrow elements has the first that is equal to x, as one of them is: zeros are
// equal, and so are NaNs.
template <narrow T, class Vector>
__device__ int first_equal(Vector const& v, T x) {
  constexpr int bits = 8 * sizeof(T), elements = 32 / bits;
  constexpr unsigned ones = ~0u / ((1u << bits) - 1), highest = ones << (bits - 1);
  auto const first = [&](auto tells) {  // whose lowest bit is the highest of such an element
    unsigned found = 0;
    int word = 0;
#pragma unroll
    for (int i = Vector::words - 1; i >= 0; --i)
      if (unsigned const told = tells(v.word(i))) found = told, word = i;
    return word * elements + (__ffs(int(found)) - 1) / bits;
  };
  unsigned const all = unsigned(bits_of<T>(to_bits(x))) * ones;
  unsigned counts = ~0u;
  if constexpr (floating<T>) {
    constexpr unsigned above_infinity = format<T>::sign - format<T>::infinity - 1;
    if (is_nan(x))
      return first(
          [](unsigned word) { return ((word & ~highest) + above_infinity * ones) & highest; });
    if ((all & ~highest) == 0) counts = ~highest;
  }
  return first([&](unsigned word) {
    unsigned const differs = (word ^ all) & counts;
    return (differs - ones) & ~differs & highest;
  });
}

// How many bytes of a batch are not zero: the highest bit of each tells in the end.
template <class Batch>
__device__ int nonzero_bytes(Batch const& x) {
  int found = 0;
#pragma unroll
  for (int i = 0; i < Batch::words; ++i) {
    constexpr unsigned lower = 0x7f7f7f7f;
    unsigned const tells = (((x.word(i) & lower) + lower) | x.word(i)) & ~lower;
    found = __dp4a(int(tells), -1, found);  // -128 for each, times -1
  }
  return found / 128;
}

// The product, modulo 2^64: those of a word have 32 bits at most.
template <narrow_integer T, class Batch>
__device__ std::uint64_t product_of_words(Batch const& x) {
  constexpr int each = 4 / int(sizeof(T));
  using wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
  std::uint64_t product[2] = {1, 1};
#pragma unroll
  for (int i = 0; i < Batch::words; ++i) {
    word_sum<T> of_word = x[i * each];
#pragma unroll
    for (int k = 1; k < each; ++k) of_word *= x[i * each + k];
    product[i % 2] *= std::uint64_t(wide(of_word));
  }
  return product[0] * product[1];
}

}  // namespace tally::device
