// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/cpu/sum/exact_accumulator.hpp"
#include "tally/cpu/sum/moments_table.hpp"
#include "tally/cpu/sum/moments_window.hpp"

namespace tally::detail {

// Adds the squares of a tile of integers, whose halves are summed apart.
template <class Tile, class Digits>
TALLY_CPU_FN void add_squares(Tile const& t, Digits& finite) {
  using T = typename Tile::element;
  if constexpr (sizeof(T) > 4) {
    unsigned __int128 low = 0, high = 0;  // the sums of the squares' halves
    for (int k = 0; k < t.count; ++k) {
      std::uint64_t const x = take_apart(t[k]).significand;
      auto const square = static_cast<unsigned __int128>(x) * x;
      low += std::uint64_t(square);
      high += std::uint64_t(square >> 64);
    }
    finite.add(false, std::uint64_t(low), 0);
    finite.add(false, std::uint64_t(low >> 64), 64);
    finite.add(false, std::uint64_t(high), 64);
    finite.add(false, std::uint64_t(high >> 64), 128);
  } else {  // sums of halves of squares fit a word: 32 bits for up to 16-bit integers
    using word = std::conditional_t<sizeof(T) == 4, std::uint64_t, std::uint32_t>;
    using value = std::conditional_t<std::is_signed_v<T>, std::make_signed_t<word>, word>;
    constexpr int half = 4 * sizeof(word);
    word low[lanes] = {}, high[lanes] = {};
    for_each_lane(t, [&](int k, int lane) __attribute__((always_inline)) {
      word const x = word(value(t[k])), square = x * x;
      low[lane] += sizeof(T) == 1 ? square : square & (word(-1) >> half);
      high[lane] += sizeof(T) == 1 ? 0 : square >> half;
    });
    std::uint64_t l = 0, h = 0;
    for (int lane = 0; lane < lanes; ++lane) l += low[lane], h += high[lane];
    finite.add(false, l, 0);
    finite.add(false, h, half);
  }
}

// Adds a tile to both sums of a state: to that of the elements, and to that of their squares.
template <element T>
class moments_accumulator {
 public:
  template <class Tile, class State>
  TALLY_CPU_FN void add(Tile const& t, State& s) {
    if constexpr (floating<T>) {
      strategy_.add(t, s, s.sum);
    } else {
      strategy_.add(t, s.sum);
      add_squares(t, s.squares.finite);
    }
  }
  template <class State>
  void flush(State& s) {
    if constexpr (floating<T>) {
      strategy_.flush(s);
      count_path(path::squares_fast, strategy_.fast.tiles);
      count_path(path::squares_table, strategy_.tables);
      count_path(path::squares_elements, strategy_.elements);
    }
  }

 private:
  template <class U>
  struct strategy {
    using type = exact_accumulator<U>;
  };
  template <floating U>
  struct strategy<U> {
    using type = exact_strategy<U, moments_window, moments_table<U>>;
  };
  typename strategy<T>::type strategy_;
};

// Adds a tile to moments<T, Squares>, whose elements it counts.
template <element T, bool Squares>
class counted_accumulator {
 public:
  template <class Tile, class State>
  TALLY_CPU_FN void add(Tile const& t, State& s) {
    if constexpr (Tile::skips) {
      std::uint32_t live = 0;
      for (int k = 0; k < t.count; ++k) live += t.live(k);
      s.count += live;
    } else {
      s.count += std::uint64_t(t.count);
    }
    if constexpr (Squares)
      sums_.add(t, s);
    else
      sums_.add(t, s.sum);
  }
  template <class State>
  void flush(State& s) {
    if constexpr (Squares)
      sums_.flush(s);
    else
      sums_.flush(s.sum);
  }

 private:
  using sums = std::conditional_t<Squares, moments_accumulator<T>, exact_accumulator<T>>;
  std::conditional_t<floating<T>, compiled_accumulator<sums>, sums> sums_;
};

}  // namespace tally::detail
