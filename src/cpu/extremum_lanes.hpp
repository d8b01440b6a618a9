// SPDX-License-Identifier: Apache-2.0
//
// Minima and maxima of rows by lanes: keys that are ordered as the elements are. Where there is a
// NaN a row is in doubt.
#pragma once

#include "row_lanes.hpp"
#include "tally/aggregate/extrema.hpp"

namespace tally::detail {

template <element T, bool Least>
struct extremum_lanes {
  using element = T;
  using key = bits_of<T>;
  struct sums {
    key best[lane_count];
    key nans[lane_count] = {};

    sums() {
      for (auto& b : best) b = Least ? key(~key(0)) : key(0);
    }
  };

  using running = sums;
  TALLY_CPU_FN static running load(sums const& s) { return s; }
  TALLY_CPU_FN static void store(running const& r, sums& s) { s = r; }

  TALLY_CPU_FN static void add(running& s, T const* x) {
    for (int k = 0; k < lane_count; ++k) {
      key const one = order_key(x[k]);
      s.best[k] = (Least ? one < s.best[k] : one > s.best[k]) ? one : s.best[k];
      if constexpr (has_nan<T>) s.nans[k] |= key(is_nan(x[k]));
    }
  }
  static void append(running& s, running const& other) {
    for (int k = 0; k < lane_count; ++k) {
      s.best[k] = Least ? std::min(s.best[k], other.best[k]) : std::max(s.best[k], other.best[k]);
      s.nans[k] |= other.nans[k];
    }
  }
};

template <element T, bool Least>
struct lanes_for<extremum<T, Least>> {
  using type = extremum_lanes<T, Least>;
  static constexpr std::uint64_t longest_row = 16;

  static bool finish(extremum<T, Least> const&, typename type::sums const& s, int k,
                     std::uint64_t n, T& out) {
    out = from_order_key<T>(s.best[k]);
    return n > 0 && s.nans[k] == 0;
  }
};

}  // namespace tally::detail
