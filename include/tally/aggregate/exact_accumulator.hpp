// SPDX-License-Identifier: Apache-2.0
//
// How a tile is added to an exact state.
#pragma once

#include "tally/aggregate/exact_state.hpp"
#include "tally/aggregate/folds.hpp"
#include "tally/cpu/path_counters.hpp"

namespace tally::detail {

// Adds a tile to an exact state: by the first way that can, the last one always can.
template <class T>
struct exact_accumulator {
  std::uint64_t windows = 0;

  template <class Tile, class State>
  TALLY_CPU_FN void add(Tile const& t, State& s) {
    if (add_fast(t, s.finite)) {
      ++windows;
    } else {
      add_slow(t, s);
    }
  }
  template <class State>
  void flush(State&) const {
    count_path(path::sum_window, windows);
  }

 private:
  template <class Tile, class Digits>
  static TALLY_CPU_FN bool add_fast(Tile const& t, Digits& into) {
    if constexpr (std::is_same_v<T, double>)
      return add_halves(t, into);
    else
      return add_window(t, into);
  }
  template <class Tile, class State>
  static TALLY_CPU_FN void add_slow(Tile const& t, State& s) {
    if constexpr (std::is_same_v<T, double>) {
      auto const e = extent_of(t);
      auto const itself = [](auto x, auto& value) __attribute__((always_inline)) { value[0] = x; };
      if (add_folds<2, 1>(t, e.top, itself, s.finite)) return count_path(path::sum_two_folds);
      if (add_folds<4, 1>(t, e.top, itself, s.finite)) return count_path(path::sum_four_folds);
    } else if constexpr (!std::is_same_v<T, float16>) {
      if (add_bins(t, s.finite)) return count_path(path::sum_bins);
    }
    add_elements(t, s);
  }
  template <class Tile, class State>
  static TALLY_CPU_COLD void add_elements(Tile const& t, State& s) {
    for (int k = 0; k < t.count; ++k)
      if (t.live(k)) s.add(t[k]);
    count_path(path::sum_elements);
  }
};

// Adds a tile of integers to an exact state.
template <integer T>
struct exact_accumulator<T> {
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
