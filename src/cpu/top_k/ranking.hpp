// SPDX-License-Identifier: Apache-2.0
//
// What selection works on: keys in which larger is better, in blocks that vectorise. A signed
// integer is handled as the unsigned one of its width, which may alias it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include "tally/cpu/instruction_set.hpp"
#include "tally/cpu/tile/simd.hpp"
#include "tally/exact/rank_order.hpp"
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
    auto const order = rank_order<key_type>::of(std::type_identity<T>{}, options.order == smallest,
                                                options.nan == skip);
    return {key_type(order.flip ^ order.sign), order.shift, key_type(order.skips)};
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

// Calls f(j) for every j in [0, length), length <= full. A full block is a loop of constant length.
template <std::size_t full = block_size, class F>
TALLY_FN void for_block(std::size_t length, F f) {
  if (length == full)
    for (std::size_t j = 0; j < full; ++j) f(j);
  else
    for (std::size_t j = 0; j < length; ++j) f(j);
}

struct counts {
  std::uint64_t above, inside;
};

// How many keys of a block are above `range`, and how many are in it: no more than a key can count.
template <std::size_t full = block_size, class R>
TALLY_FN counts count_block(ranking<R> rank, R const* x, std::size_t length,
                            interval<bits_of<R>> range) {
  using key_type = bits_of<R>;
  key_type above = 0, inside = 0;
  for_block<full>(length, [&](std::size_t j) __attribute__((always_inline)) {
    key_type const key = rank(x[j]);
    above = key_type(above + key_type(key > range.high));
    inside = key_type(inside + key_type(range.contains(key)));
  });
  return {above, inside};
}

// Sets a byte for each element of a block: to 1 if its key is in `range`, else to 0.
template <class R>
TALLY_FN void flag_block(ranking<R> rank, R const* x, std::size_t length,
                         interval<bits_of<R>> range, std::uint8_t (&flags)[block_size]) {
  if (length != block_size) std::memset(flags, 0, block_size);
  for_block(length, [&](std::size_t j) __attribute__((always_inline)) {
    flags[j] = std::uint8_t(range.contains(rank(x[j])));
  });
}

// Calls visit(j) for every flagged j, ascending, until it returns false; says whether it never did.
template <class Visit>
TALLY_FN bool for_flagged(std::uint8_t const (&flags)[block_size], Visit visit) {
  for (std::size_t base = 0; base < block_size; base += 8) {
    std::uint64_t word;
    std::memcpy(&word, flags + base, 8);
    for (; word; word &= word - 1)
      if (!visit(base + std::size_t(std::countr_zero(word)) / 8)) return false;
  }
  return true;
}

// A bit for each lane of a comparison's result.
template <int Size, class Mask>
TALLY_FN std::uint64_t lane_bits(Mask mask) {
  constexpr int lanes = sizeof mask / Size;
  std::uint64_t bits = 0;
#ifdef TALLY_NAMES_INSTRUCTIONS
  std::uint32_t few = 0;
  if constexpr (sizeof mask == 64) {
    if constexpr (Size == 1)
      asm("vpmovb2m %1, %%k1; kmovq %%k1, %0" : "=r"(bits) : "v"(mask) : "k1");
    if constexpr (Size == 2)
      asm("vpmovw2m %1, %%k1; kmovd %%k1, %0" : "=r"(few) : "v"(mask) : "k1");
    if constexpr (Size == 4)
      asm("vpmovd2m %1, %%k1; kmovw %%k1, %0" : "=r"(few) : "v"(mask) : "k1");
    if constexpr (Size == 8)
      asm("vpmovq2m %1, %%k1; kmovb %%k1, %0" : "=r"(few) : "v"(mask) : "k1");
    return bits | few;
  } else if constexpr (Size != 2) {
    constexpr bool wide = sizeof mask == 32;
    if constexpr (Size == 1 && wide) asm("vpmovmskb %1, %0" : "=r"(few) : "x"(mask));
    if constexpr (Size == 4 && wide) asm("vmovmskps %1, %0" : "=r"(few) : "x"(mask));
    if constexpr (Size == 8 && wide) asm("vmovmskpd %1, %0" : "=r"(few) : "x"(mask));
    if constexpr (Size == 1 && !wide) asm("pmovmskb %1, %0" : "=r"(few) : "x"(mask));
    if constexpr (Size == 4 && !wide) asm("movmskps %1, %0" : "=r"(few) : "x"(mask));
    if constexpr (Size == 8 && !wide) asm("movmskpd %1, %0" : "=r"(few) : "x"(mask));
    return few;
  }
#endif
  for (int i = 0; i < lanes; ++i) bits |= std::uint64_t(mask[i] != 0) << i;
  return bits;
}

// A bit for each element of a block: whether its key is in `range`.
template <int Width, class R>
TALLY_FN std::uint64_t bits_inside(ranking<R> rank, R const* x, interval<bits_of<R>> range) {
  using key_type = bits_of<R>;
  constexpr int lanes = Width / sizeof(R), vectors = int(block_size) / lanes;
  using vector = vec<key_type, lanes>;
  key_type above_low[block_size];
  for_block(block_size, [&](std::size_t j) __attribute__((always_inline)) {
    above_low[j] = key_type(rank(x[j]) - range.low);
  });
  auto const vector_at = [&](int v) __attribute__((always_inline)) {
    return load<vector>(above_low + v * lanes);
  };
  vector least = vector_at(0);
  for (int v = 1; v < vectors; ++v) least = min_of(least, vector_at(v));
  if (!any(least <= range.width())) return 0;
  std::uint64_t bits = 0;
  for (int v = 0; v < vectors; ++v)
    bits |= lane_bits<sizeof(R)>(vector_at(v) <= range.width()) << (v * lanes % 64);
  return bits;
}

// Calls visit(j) for every x[j] whose key is in `range`, ascending, until it returns false; says
// whether it never did. `range` may change on the way: that holds from the next block on. This is
// made for few hits.
template <int Width, class R, class Visit>
TALLY_FN bool visit_inside(ranking<R> rank, R const* x, std::size_t n,
                           interval<bits_of<R>> const& range, Visit visit) {
  std::size_t i = 0;
  while (i + block_size <= n) {
    auto const present = range;
    std::uint64_t bits = 0;
    for (; bits == 0 && i + block_size <= n; i += block_size)
      bits = bits_inside<Width>(rank, x + i, present);
    for (; bits; bits &= bits - 1)
      if (!visit(i - block_size + std::size_t(std::countr_zero(bits)))) return false;
  }
  auto const last = range;
  for (; i < n; ++i)
    if (last.contains(rank(x[i])) && !visit(i)) return false;
  return true;
}

template <class R>
TALLY_FN counts count_all(ranking<R> rank, R const* x, std::size_t n, interval<bits_of<R>> range) {
  constexpr std::size_t many = sizeof(R) == 1 ? 128 : 4096;
  counts total = {};
  for (std::size_t i = 0; i < n; i += many) {
    auto const c = count_block<many>(rank, x + i, std::min(many, n - i), range);
    total.above += c.above;
    total.inside += c.inside;
  }
  return total;
}

}  // namespace tally::detail::top_k
