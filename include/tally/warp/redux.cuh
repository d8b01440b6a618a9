// SPDX-License-Identifier: Apache-2.0
//
// Integers are reduced over a whole warp by the hardware's redux instructions: one for 32 bits and
// less, a few independent or dependent ones for 64.
#pragma once

#include <cstdint>
#include <type_traits>

#include "tally/cuda/thread_index.cuh"
#include "tally/operators.hpp"

namespace tally::warp::detail {

template <class T, class Op>
inline constexpr bool has_redux = std::is_integral_v<T> && sizeof(T) <= 8 &&
                                  is_one_of<Op, plus, smaller, larger, bit_and, bit_or, bit_xor>;

// The fold of 32-bit integers, in all lanes. Lanes that have exited, or that the block lacks, take
// no part.
__device__ inline unsigned redux(unsigned x, plus) { return __reduce_add_sync(~0u, x); }
__device__ inline unsigned redux(unsigned x, bit_and) { return __reduce_and_sync(~0u, x); }
__device__ inline unsigned redux(unsigned x, bit_or) { return __reduce_or_sync(~0u, x); }
__device__ inline unsigned redux(unsigned x, bit_xor) { return __reduce_xor_sync(~0u, x); }
__device__ inline unsigned redux(unsigned x, smaller) { return __reduce_min_sync(~0u, x); }
__device__ inline unsigned redux(unsigned x, larger) { return __reduce_max_sync(~0u, x); }
__device__ inline int redux(int x, smaller) { return __reduce_min_sync(~0u, x); }
__device__ inline int redux(int x, larger) { return __reduce_max_sync(~0u, x); }

// A sum of 64 bits is made of digits of 27 bits: 32 of them add up without a carry out of 32 bits.
__device__ inline std::uint64_t redux(std::uint64_t x, plus op) {
  constexpr unsigned digit = (1u << 27) - 1;
  std::uint64_t const low = redux(unsigned(x) & digit, op);
  std::uint64_t const middle = redux(unsigned(x >> 27) & digit, op);
  std::uint64_t const high = redux(unsigned(x >> 54), op);
  return low + (middle << 27) + (high << 54);
}

// A 64-bit word goes by halves; for an extremum's lower one, lanes with the best upper one count.
template <class Word, class Op>
__device__ Word redux_halves(Word x, Op op) {
  using half = std::conditional_t<std::is_signed_v<Word>, int, unsigned>;
  auto const high = half(x >> 32);
  auto low = unsigned(x);
  half const best = redux(high, op);
  if constexpr (is_one_of<Op, smaller, larger>)
    low = high == best ? low : Op::template identity<unsigned>;
  return Word(best) << 32 | redux(low, op);
}

// The fold of integers of any type, in all lanes of a warp.
template <class T, class Op>
__device__ T redux_of(T x, Op op) {
  using wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
  using narrow = std::conditional_t<std::is_signed_v<T>, int, unsigned>;
  if constexpr (sizeof(T) == 8 && std::is_same_v<Op, plus>)
    return T(redux(std::uint64_t(x), op));
  else if constexpr (sizeof(T) == 8)
    return T(redux_halves(wide(x), op));
  else if constexpr (is_one_of<Op, smaller, larger>)
    return T(redux(narrow(x), op));
  else
    return T(redux(unsigned(x), op));
}

}  // namespace tally::warp::detail
