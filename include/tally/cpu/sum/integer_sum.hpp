// SPDX-License-Identifier: Apache-2.0
//
// Sums of integers modulo 2^64.
#pragma once

#include "tally/cpu/tile/simd.hpp"
#include "tally/cpu/tile/tile.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tally::detail {

// The sum of integers of up to 32 bits modulo 2^64. Two are taken in a word: from the sums of the
// words and of their upper halves that of the lower halves follows. Signed ones are first made
// unsigned; one of 32 bits gets 2^31 more for that.
template <class Tile>
TALLY_CPU_FN std::uint64_t sum_of_pairs(Tile const& t) {
  using T = typename Tile::element;
  using word = std::conditional_t<sizeof(T) == 1, std::uint16_t,
                                  std::conditional_t<sizeof(T) == 2, std::uint32_t, std::uint64_t>>;
  using words = vec<word, Tile::vector_bytes / sizeof(word)>;
  constexpr int half = 8 * sizeof(T), at_once = Tile::vector_bytes / sizeof(T);
  constexpr word ones = word(~word(0)) >> half;
  constexpr word more = std::is_signed_v<T> ? word(1) << (half - 1) : word(0);
  static_assert(sizeof(T) == 4 || Tile::size / at_once * 2 * std::uint64_t(ones) <= word(~word(0)));
  words sum{}, upper{};
  std::uint64_t added = 0;
  for_each_group<at_once>(t, T{}, [&](auto const* p) __attribute__((always_inline)) {
    words const x = load<words>(p) ^ word(more | more << half);
    sum += x;
    upper += x >> half;
    added += at_once;
  });
  words const pairs = sum - (upper << half) + upper;
  auto const plus = [](auto a, auto b) { return a + b; };
  if constexpr (sizeof(T) == 1) {
    auto const wide = cast<vec<std::uint32_t, Tile::vector_bytes / 4>>(pairs);
    return fold_lanes((wide & 0xffff) + (wide >> 16), plus) - added * more;
  } else {
    return fold_lanes(pairs, plus) - added * more;
  }
}

template <class Tile>
TALLY_CPU_FN std::uint64_t sum_modulo_2_64(Tile const& t) {
  if constexpr (sizeof(typename Tile::element) < 8) return sum_of_pairs(t);
  std::uint64_t sums[lanes] = {};
  for_each_lane(t, [&](int k, int lane)
                       __attribute__((always_inline)) { sums[lane] += std::uint64_t(t[k]); });
  std::uint64_t total = 0;
  for (std::uint64_t const s : sums) total += s;
  return total;
}

// Adds tiles of integers to a sum modulo 2^64.
struct integer_sum_accumulator {
  template <class Tile>
  TALLY_CPU_FN void add(Tile const& t, std::uint64_t& s) {
    s += sum_modulo_2_64(t);
  }
  void flush(std::uint64_t&) const {}
};

}  // namespace tally::detail

#pragma GCC diagnostic pop
