// SPDX-License-Identifier: Apache-2.0
//
// How a tile is added to an exact state.
#pragma once

#include "tally/aggregate/exact_state.hpp"
#include "tally/aggregate/exponent_table.hpp"
#include "tally/aggregate/folds.hpp"
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
    if (hard_ > 0 && all_finite(t)) {
      --hard_;
      add_to_table(t, s);
    } else if (add_fast(t, s.finite)) {
      ++windows;
    } else {
      add_slow(t, s);
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
  struct specials {
    std::uint64_t nan = 0, positive_infinity = 0, negative_infinity = 0;
  };
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
  exponent_table<T> table_;
  std::uint64_t folds = 0, tables = 0, elements = 0;
  int hard_ = 0;  // how many tiles to come go straight to the table

  template <class Tile, class Digits>
  static TALLY_CPU_FN bool add_fast(Tile const& t, Digits& into) {
    if constexpr (std::is_same_v<T, double>)
      return add_halves(t, into);
    else
      return add_window(t, into);
  }
  template <class Tile, class State>
  TALLY_CPU_FN void add_slow(Tile const& t, State& s) {
    T finite[Tile::size];
    bool const has_special = set_aside(t, s, finite);
    Tile const rest{has_special ? finite : t.data, t.count, t.first};
    if (has_special && add_fast(rest, s.finite)) {
      ++windows;
    } else if (add_by_folds(rest, s.finite)) {
      ++folds;
    } else if (elements < few) {
      for (int k = 0; k < rest.count; ++k)
        if (rest.live(k)) s.add(rest[k]);
      ++elements;
    } else {
      add_to_table(rest, s);
      hard_ = 8;
    }
  }
  template <class Tile, class State>
  TALLY_CPU_FN void add_to_table(Tile const& t, State& s) {
    if (!table_.has_room_for(Tile::size)) table_.flush(s.finite);
    table_.add(t);
    ++tables;
  }
  template <class Tile, class Digits>
  static TALLY_CPU_FN bool add_by_folds(Tile const& t, Digits& into) {
    if constexpr (std::is_same_v<T, double>) {
      auto const itself = [](auto x, auto& value) __attribute__((always_inline)) { value[0] = x; };
      return add_folds<2, 1>(t, extent_of(t).top, itself, into);
    } else {
      return false;
    }
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
