// SPDX-License-Identifier: Apache-2.0
//
// How a tile is added to an exact sum: in a window or by extraction if these are exact, else
// through a large superaccumulator, a table of sums for every exponent, else one element at a time.
#pragma once

#include <utility>

#include "tally/cpu/path_counters.hpp"
#include "tally/cpu/sum/compiled_accumulator.hpp"
#include "tally/cpu/sum/large_superaccumulator.hpp"
#include "tally/cpu/sum/windows.hpp"
#include "tally/cpu/tile/simd.hpp"
#include "tally/cpu/tile/tile.hpp"
#include "tally/exact/exact_state.hpp"

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

// Remembers whether tiles were hard: after two in a row that no fast strategy could add, the next
// 64 go to the table at once.
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

// Whether no element is infinite or NaN. The largest exponent field tells; of doubles, only the
// upper halves are compared, which have it.
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

// Counts in `s` the elements that are not finite, and copies the tile to `finite` with zeros in
// their places. Returns whether there are any.
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

// Adds a tile by the first strategy that can. `fast` adds it, or changes nothing and returns false.
// `table` takes any finite elements, but pays only for more than Table::break_even of them; those
// before are added one at a time to the state itself.
template <floating T, class Fast, class Table>
struct exact_strategy {
  Fast fast;
  Table table;
  std::uint64_t tables = 0, elements = 0;  // tiles that the table took, and one at a time

  // Elements that are not finite are counted in `specials`.
  template <class Tile, class State, class Specials>
  TALLY_CPU_FN void add(Tile t, State& s, Specials& specials) {
    room_for<T, Tile::size> finite;
    bool const hard = streak_.lasts() && all_finite(t);
    if (hard)
      streak_.next();
    else if (add_fast_or_set_aside(t, s, specials, finite.values))
      return streak_.was_fast();
    if (!hard) streak_.was_not();
    if (taken_ + t.count > Table::break_even) {
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
  int taken_ = 0;  // elements that were added one at a time since the last flush
  table_streak streak_;

  // Adds the tile and returns true; or counts what is not finite and points `t` to a copy without
  // it.
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

// The fast strategies for a sum: windows, and extraction in several folds.
template <floating T>
class fast_sums {
 public:
  std::uint64_t windows = 0, folds = 0;  // tiles that each has added

  // Adds a tile, in one pass if it is like the one before it, or returns false.
  template <class Tile, class State>
  TALLY_CPU_FN bool add(Tile const& t, State& s) {
    for (int tries = 0; tries < 3; ++tries) {
      auto const [e, added, had_nan] = try_fast(t, s);
      if (added) {
        ++(wide_ ? folds : windows);
        wide_ = wide_ && !fits_window<Tile>(e);
        had_nan_ = had_nan;
        return true;
      }
      if (!e.finite) {
        if (wide_ || had_nan_) return false;
        had_nan_ = true;
      } else {
        int const top = e.top + room;
        bool const wide = !fits_window<Tile>(e);
        bool const again = wide == wide_ && top == top_;
        if (again || (wide && !extraction<vec<double, 2>, bits_of_count<Tile>, max_folds>::holds(
                                  top, e.lowest)))
          return false;
        wide_ = wide;
        top_ = top;
      }
    }
    return false;
  }

 private:
  static constexpr int room = 2;  // binades for the tiles to come
  static constexpr int max_folds = std::is_same_v<T, double> ? 3 : 2;
  // The next tile is taken to be like the last one: below 2^top_; too wide for a window, or not;
  // with NaNs, or without.
  int top_ = 0;
  bool wide_ = false, had_nan_ = false;

  template <class Tile, class State>
  TALLY_CPU_FN outcome try_fast(Tile const& t, State& s) const {
    if constexpr (!is_one_of<T, float16>)  // which is never too wide
      if (wide_) return add_extracted<max_folds>(t, top_, s.finite);
    return had_nan_ ? add_window<specials::counted>(t, top_, s)
                    : add_window<specials::kept>(t, top_, s);
  }
  template <class Tile>
  static TALLY_CPU_FN bool fits_window(exponent_range const& e) {
    return e.zero || window_sum<tile_reader<Tile>, T, bits_of_count<Tile>>::holds(e.top + room, e);
  }
};

// Adds a tile to an exact state.
template <class T>
class exact_accumulator {
 public:
  template <class Tile, class State>
  TALLY_CPU_FN void add(Tile const& t, State& s) {
    strategy_.add(t, s, s);
  }
  template <class State>
  void flush(State& s) {
    strategy_.flush(s);
    count_path(path::sum_window, std::exchange(strategy_.fast.windows, 0));
    count_path(path::sum_folds, std::exchange(strategy_.fast.folds, 0));
    count_path(path::sum_table, std::exchange(strategy_.tables, 0));
    count_path(path::sum_elements, std::exchange(strategy_.elements, 0));
  }

 private:
  exact_strategy<T, fast_sums<T>, large_superaccumulator<T>> strategy_;
};

// Adds tiles of Ts to exact states of type State: compiled once for each T.
template <floating T, class State>
using sum_accumulator =
    std::conditional_t<std::is_same_v<T, State>, compiled_accumulator<exact_accumulator<T>>,
                       widened_accumulator<T, compiled_accumulator<exact_accumulator<T>>>>;

// Adds a tile of integers to an exact state.
template <integer T>
class exact_accumulator<T> {
 public:
  template <class Tile, class State>
  TALLY_CPU_FN void add(Tile const& t, State& s) {
    if constexpr (sizeof(T) == 8) {
      std::uint64_t low[lanes] = {}, high[lanes] = {};
      for_each_lane(t, [&](int k, int lane) __attribute__((always_inline)) {
        low[lane] += std::uint64_t(t[k]) & 0xffffffff;
        high[lane] += std::uint64_t(t[k] >> 32);  // arithmetic for signed types
      });
      std::uint64_t l = 0, h = 0;
      for (int lane = 0; lane < lanes; ++lane) l += low[lane], h += high[lane];
      s.finite.add(false, l, 0);
      deposit(s, h, 32);
    } else {
      deposit(s, sum_modulo_2_64(t), 0);
    }
  }
  template <class State>
  void flush(State&) const {}

 private:
  template <class State>
  static TALLY_CPU_FN void deposit(State& s, std::uint64_t value, int exponent) {
    bool const negative = std::is_signed_v<T> && std::int64_t(value) < 0;
    s.finite.add(negative, negative ? 0 - value : value, exponent);
  }
};

}  // namespace tally::detail

#pragma GCC diagnostic pop
