// SPDX-License-Identifier: Apache-2.0
//
// How a tile is added to an exact sum.
#pragma once

#include "tally/cpu/path_counters.hpp"
#include "tally/cpu/sum/compiled_accumulator.hpp"
#include "tally/cpu/sum/exact_ways.hpp"
#include "tally/cpu/sum/exponent_table.hpp"
#include "tally/cpu/sum/integer_sum.hpp"
#include "tally/cpu/sum/windows.hpp"
#include "tally/exact/exact_state.hpp"

namespace tally::detail {

// Sums of tiles by windows and folds.
template <floating T>
class fast_sums {
 public:
  std::uint64_t windows = 0, folds = 0;  // tiles

  // Adds a tile, in one pass if it is like the one before it, or returns false.
  template <class Tile, class State>
  TALLY_CPU_FN bool add(Tile const& t, State& s) {
    for (int tries = 0; tries < 3; ++tries) {
      auto const [e, added, laden] = try_fast(t, s);
      if (added) {
        ++(wide_ ? folds : windows);
        wide_ = wide_ && !fits_window<Tile>(e);
        laden_ = laden;
        return true;
      }
      if (!e.finite) {
        if (wide_ || laden_) return false;
        laden_ = true;
      } else {
        int const top = e.top + room;
        bool const wide = !fits_window<Tile>(e);
        bool const again = wide == wide_ && top == top_;
        if (again || (wide && !folded_sum<vec<double, 2>, bits_of_count<Tile>, most_folds>::holds(
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
  static constexpr int most_folds = std::is_same_v<T, double> ? 3 : 2;
  // What the last tiles were like, and the next ones are taken for: below which 2^top they lie;
  // whether they are too wide for a window; whether they have NaNs.
  int top_ = 0;
  bool wide_ = false, laden_ = false;

  template <class Tile, class State>
  TALLY_CPU_FN outcome try_fast(Tile const& t, State& s) const {
    if constexpr (!is_one_of<T, float16>)  // which is never too wide
      if (wide_) return add_folded<most_folds>(t, top_, s.finite);
    return laden_ ? add_window<specials::counted>(t, top_, s)
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
    ways_.add(t, s, s);
  }
  template <class State>
  void flush(State& s) {
    ways_.flush(s);
    count_path(path::sum_window, std::exchange(ways_.fast.windows, 0));
    count_path(path::sum_folds, std::exchange(ways_.fast.folds, 0));
    count_path(path::sum_table, std::exchange(ways_.tables, 0));
    count_path(path::sum_elements, std::exchange(ways_.elements, 0));
  }

 private:
  exact_ways<T, fast_sums<T>, exponent_table<T>> ways_;
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
