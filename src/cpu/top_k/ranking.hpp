// SPDX-License-Identifier: Apache-2.0
//
// What selection works on: keys in which larger is better, in blocks that vectorise. A signed
// integer is handled as the unsigned one of its width, which may alias it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstring>

#include "tally/aggregate/order.hpp"
#include "tally/cpu/instruction_set.hpp"
#include "tally/top_k.hpp"

namespace tally::detail::top_k {

static_assert(std::endian::native == std::endian::little, "flags are read eight at a time");

template <element T>
struct representation {
  using type = bits_of<T>;
};
template <floating T>
struct representation<T> {
  using type = T;
};
template <element T>
using represent = typename representation<T>::type;

template <class R>
struct ranking {
  using key_type = bits_of<R>;
  static constexpr key_type best = key_type(~key_type(0));

  key_type flip;    // what turns the order around
  key_type shift;   // 1 moves NaN, the best, to 0 and everything else up by one
  key_type lowest;  // 1 if the key 0 stands for a skipped NaN; nothing else has it

  template <element T>
  static ranking of(std::type_identity<T>, top_k_options const& options) {
    bool const reverse = options.order == smallest;
    bool const skips = floating<T> && options.nan == skip;
    key_type const sign = integer<T> ? key_type(order_key(T(0))) : key_type(0);
    return {key_type((reverse ? best : key_type(0)) ^ sign), key_type(skips && !reverse),
            key_type(skips)};
  }

  TALLY_FN key_type operator()(R x) const { return key_type(key_type(rank_key(x) ^ flip) + shift); }
};

// Keys from `low` to `high`, both included.
template <class Key>
struct interval {
  Key low, high;
  TALLY_FN Key width() const { return Key(high - low); }
  TALLY_FN bool contains(Key key) const { return Key(key - low) <= width(); }
};

inline constexpr std::size_t block_size = 64;

// f(j) for every j in [0, length), length <= block_size: a full block is a loop of constant length.
template <class F>
TALLY_FN void for_block(std::size_t length, F f) {
  if (length == block_size)
    for (std::size_t j = 0; j < block_size; ++j) f(j);
  else
    for (std::size_t j = 0; j < length; ++j) f(j);
}

struct block_counts {
  std::size_t above, inside;
};

// How many keys of a block are above `range`, and how many are in it.
template <class R>
TALLY_FN block_counts count_block(ranking<R> rank, R const* x, std::size_t length,
                                  interval<bits_of<R>> range) {
  using key_type = bits_of<R>;
  key_type above = 0, inside = 0;
  for_block(length, [&](std::size_t j) __attribute__((always_inline)) {
    key_type const key = rank(x[j]);
    above = key_type(above + key_type(key > range.high));
    inside = key_type(inside + key_type(range.contains(key)));
  });
  return {above, inside};
}

// A byte for each element of a block: 1 if its key is in `range`, else 0.
template <class R>
TALLY_FN void flag_block(ranking<R> rank, R const* x, std::size_t length,
                         interval<bits_of<R>> range, std::uint8_t (&flags)[block_size]) {
  if (length != block_size) std::memset(flags, 0, block_size);
  for_block(length, [&](std::size_t j) __attribute__((always_inline)) {
    flags[j] = std::uint8_t(range.contains(rank(x[j])));
  });
}

// f(j) for every flagged j, ascending.
template <class F>
TALLY_FN void for_flagged(std::uint8_t const (&flags)[block_size], F f) {
  for (std::size_t base = 0; base < block_size; base += 8) {
    std::uint64_t word;
    std::memcpy(&word, flags + base, 8);
    for (; word; word &= word - 1) f(base + std::size_t(std::countr_zero(word)) / 8);
  }
}

}  // namespace tally::detail::top_k
