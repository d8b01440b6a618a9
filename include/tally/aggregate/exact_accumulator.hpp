// SPDX-License-Identifier: Apache-2.0
//
// How a tile is added to an exact state.
#pragma once

#include "tally/aggregate/exact_state.hpp"
#include "tally/aggregate/exponent_table.hpp"
#include "tally/cpu/path_counters.hpp"

namespace tally::detail {

// Adds a tile to an exact state: by the first way that can, the last ones always can.
template <class T>
struct exact_accumulator {
  using bits = bits_of<T>;
  static constexpr bits not_sign = bits(~format<T>::sign);
  std::uint64_t windows = 0;

  template <class Tile, class State>
  TALLY_CPU_FN void add(Tile const& t, State& s) {
    T finite[Tile::size];
    Tile rest = t;
    bool const hard = streak_.lasts() && all_finite(t);
    if (hard)
      streak_.next();
    else if (add_fast_or_set_aside(rest, s, finite))
      return streak_.was_fast();
    if (hard || elements >= few) {
      if (!table_.has_room_for(Tile::size)) table_.flush(s.finite);
      table_.add(rest);
      ++tables;
      if (!hard) streak_.was_not();
    } else {
      for (int k = 0; k < rest.count; ++k)
        if (rest.live(k)) s.add(rest[k]);
      ++elements;
    }
  }
  template <class Tile>
  static TALLY_CPU_FN bool all_finite(Tile const& t) {
    using vector = vec<bits, Tile::vector_bytes / sizeof(T)>;
    vector special{};
    for_each_group<Tile::vector_bytes / sizeof(T)>(
        t, T{}, [&](T const* p) __attribute__((always_inline)) {
          special |= vector((load<vector>(p) & not_sign) >= format<T>::infinity);
        });
    return !any(special);
  }
  // Counts what is not finite, and copies the tile with zeros in their places; false if there is
  // none.
  template <class Tile, class State>
  static TALLY_CPU_FN bool set_aside(Tile const& t, State& s, T* finite) {
    constexpr int lanes = Tile::vector_bytes / sizeof(T);
    using vector = vec<bits, lanes>;
    vector special{}, infinite{}, negative{};
    for_each_group<lanes>(t, T{}, [&](T const* p) __attribute__((always_inline)) {
      auto const b = load<vector>(p), magnitude = b & not_sign;
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
  template <class State>
  void flush(State& s) {
    table_.flush(s.finite);
    count_path(path::sum_window, std::exchange(windows, 0));
    count_path(path::sum_folds, std::exchange(folds, 0));
    count_path(path::sum_table, std::exchange(tables, 0));
    count_path(path::sum_elements, std::exchange(elements, 0));
  }

 private:
  static constexpr std::uint64_t few = 8;  // tiles, for which a table does not pay
  static constexpr int room = 2;           // binades for the tiles to come
  static constexpr int most_folds = std::is_same_v<T, double> ? 3 : 2;
  exponent_table<T> table_;
  std::uint64_t folds = 0, tables = 0, elements = 0;
  table_streak streak_;
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
  // In one pass if the tile is like the one before it.
  template <class Tile, class State>
  TALLY_CPU_FN bool add_fast(Tile const& t, State& s) {
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
  template <class Tile>
  static TALLY_CPU_FN bool fits_window(reach const& e) {
    return e.zero || window_sum<tile_reader<Tile>, T, bits_of_count<Tile>>::holds(e.top + room, e);
  }
  // Adds the tile, or makes it a copy without what is not finite, which has been counted.
  template <class Tile, class State>
  TALLY_CPU_FN bool add_fast_or_set_aside(Tile& t, State& s, T* finite) {
    for (int tries = 0; tries < 2; ++tries) {  // one loop: each call is a copy of much code
      if (add_fast(t, s)) return true;
      if (tries > 0 || !set_aside(t, s, finite)) return false;
      t.data = finite;
    }
    return false;
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
