// SPDX-License-Identifier: Apache-2.0
//
// How a tile of floating-point elements is added to an exact state.
#pragma once

#include "tally/cpu/tile/simd.hpp"
#include "tally/cpu/tile/tile.hpp"
#include "tally/exact/float_format.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tally::detail {

// After two tiles in a row for which there was no faster way, the next ones go to a table at once.
class table_streak {
 public:
  TALLY_CPU_FN bool lasts() const { return left_ > 0; }
  TALLY_CPU_FN void next() { --left_; }
  TALLY_CPU_FN void was_fast() { before_ = false; }
  TALLY_CPU_FN void was_not() {
    if (before_) left_ = 64;
    before_ = true;
  }

 private:
  int left_ = 0;
  bool before_ = false;
};

// By the largest exponent; a double's is in its upper half.
template <class Tile>
TALLY_CPU_FN bool all_finite(Tile const& t) {
  using T = typename Tile::element;
  using bits = bits_of<T>;
  using word = std::conditional_t<sizeof(T) == 8, std::uint32_t, bits>;
  using words = vec<word, Tile::vector_bytes / sizeof(word)>;
  constexpr int lanes = Tile::vector_bytes / sizeof(T), rest = 8 * (sizeof(T) - sizeof(word));
  words largest{};
  for_each_group<lanes>(t, T{}, [&](T const* p) __attribute__((always_inline)) {
    largest = max_of(largest, cast<words>(load<vec<bits, lanes>>(p) & format<T>::infinity));
  });
  return !any(words(largest == word(format<T>::infinity >> rest)));
}

// Counts what is not finite in s, and copies the tile with zeros in their places; false if there is
// none.
template <class Tile, class State>
TALLY_CPU_FN bool set_aside(Tile const& t, State& s, typename Tile::element* finite) {
  using T = typename Tile::element;
  using bits = bits_of<T>;
  constexpr int lanes = Tile::vector_bytes / sizeof(T);
  using vector = vec<bits, lanes>;
  vector special{}, infinite{}, negative{};
  for_each_group<lanes>(t, T{}, [&](T const* p) __attribute__((always_inline)) {
    auto const b = load<vector>(p), magnitude = b & bits(~format<T>::sign);
    auto const is_special = vector(magnitude >= format<T>::infinity);  // 0 or -1
    vector const rest = b & ~is_special;
    __builtin_memcpy(static_cast<void*>(finite), &rest, sizeof rest);
    finite += lanes;
    special -= is_special;
    infinite -= vector(magnitude == format<T>::infinity);
    negative -= vector(b == bits(format<T>::infinity | format<T>::sign));
  });
  auto const total = [](vector counts) __attribute__((always_inline)) {
    return std::uint64_t(fold_lanes(counts, [](auto x, auto y) { return decltype(x)(x + y); }));
  };
  s.nan += Tile::skips ? 0 : total(special) - total(infinite);
  s.negative_infinity += total(negative);
  s.positive_infinity += total(infinite) - total(negative);
  return total(special) != 0;
}

// Adds a tile by the first way that can. `fast` adds it or changes nothing and returns false;
// `table` takes any finite elements, but costs something once; before that pays, they are added one
// at a time to the state itself.
template <floating T, class Fast, class Table>
struct exact_ways {
  Fast fast;
  Table table;
  std::uint64_t tables = 0, elements = 0;  // tiles

  // What is not finite is counted in `specials`.
  template <class Tile, class State, class Specials>
  TALLY_CPU_FN void add(Tile t, State& s, Specials& specials) {
    room_for<T, Tile::size> finite;
    bool const hard = streak_.lasts() && all_finite(t);
    if (hard)
      streak_.next();
    else if (add_fast_or_set_aside(t, s, specials, finite.values))
      return streak_.was_fast();
    if (!hard) streak_.was_not();
    if (taken_ + t.count > Table::few) {
      table.add(t, s);
      ++tables;
    } else {
      taken_ += t.count;
      for (int k = 0; k < t.count; ++k) s.add(t[k]);
      ++elements;
    }
  }
  template <class State>
  void flush(State& s) {
    table.flush(s);
    taken_ = 0;
  }

 private:
  int taken_ = 0;  // elements, one at a time
  table_streak streak_;

  // Adds the tile, or makes it a copy without what is not finite, which has been counted.
  template <class Tile, class State, class Specials>
  TALLY_CPU_FN bool add_fast_or_set_aside(Tile& t, State& s, Specials& specials, T* finite) {
    for (int tries = 0; tries < 2; ++tries) {  // one loop: each call is a copy of much code
      if (fast.add(t, s)) return true;
      if (tries > 0 || !set_aside(t, specials, finite)) return false;
      t.data = finite;
    }
    return false;
  }
};

}  // namespace tally::detail

#pragma GCC diagnostic pop
