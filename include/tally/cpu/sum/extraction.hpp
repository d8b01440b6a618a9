// SPDX-License-Identifier: Apache-2.0
//
// Exact sums of a tile whose elements are far apart, by extraction. As in windows.hpp, a whole tile
// is either added to a fixed-point number without losing a bit, or nothing is changed. No result
// depends on the order of additions, so lanes and instruction sets are free.
#pragma once

#include <algorithm>

#include "tally/claim.hpp"
#include "tally/cpu/tile/conversions.hpp"
#include "tally/cpu/tile/tile_reader.hpp"

#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__)
#error "Tally's sums need the arithmetic as written: compile what includes it without -ffast-math"
#endif

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tally::detail {

// What became of a tile: where its elements lie; whether its sum was exact and has been added; and
// whether it had NaNs, which have been counted.
struct outcome {
  exponent_range where;
  bool added, had_nan = false;
};

// Adds up numbers below 2^top without error, if all are multiples of 2^lowest and holds(top,
// lowest). Adding x to sigma = 1.5 * 2^(52 + w) rounds x to a multiple of 2^w, which the sum keeps.
// What is left of x is exact and goes on to the next fold, whose sigma is smaller, or after the
// last one into a plain sum. (This is the extraction of S. M. Rump, T. Ogita and S. Oishi,
// "Accurate floating-point summation, part I", SIAM J. Sci. Comput. 31(1), 2008.) A fold takes 52
// bits less the Bits of a tile's number of elements. Each of two vectors, i = 0 and 1, has sums of
// its own.
template <class V, int Bits, int Folds = 1>
struct extraction {
  V high[2][Folds], low[2] = {};
  double sigma[Folds];

  static constexpr int step = 52 - Bits;
  static constexpr int unit(int top) { return top + Bits - 51; }  // w
  static constexpr bool holds(int top, int lowest) {
    return top >= -700 && top <= 1000 && unit(top) - step * (Folds - 1) + Bits - lowest <= 53;
  }
  explicit TALLY_CPU_FN extraction(int top) {
    V const zero{};
    for (int f = 0; f < Folds; ++f) {
      sigma[f] = 1.5 * power_of_two(52 + unit(top) - step * f);
      high[0][f] = high[1][f] = sigma[f] + zero;
    }
  }
  TALLY_CPU_FN void add(int i, V x) {
    TALLY_CPU_UNROLL
    for (int f = 0; f < Folds; ++f) {
      V const next = high[i][f] + x, extracted = minus_fused(next, high[i][f]);
      x = minus_fused(x, extracted);
      TALLY_CLAIM(within("folds.room", next - sigma[f], sigma[f] / 3));
      high[i][f] = next;
    }
    TALLY_CLAIM(adds("folds.rest", low[i], x));
    low[i] += x;
  }
  TALLY_CPU_FN void add_square(int i, V x)
    requires(Folds == 1)
  {
    if constexpr (has_fused<sizeof x>) {
      V const next = fused(x, x, high[i][0]);
      TALLY_CLAIM(within("folds.room", next - sigma[0], sigma[0] / 3));
      TALLY_CLAIM(adds("folds.rest", low[i], fused(x, x, high[i][0] - next)));
      low[i] += fused(x, x, high[i][0] - next);
      high[i][0] = next;
    } else {
      add(i, x * x);
    }
  }
  TALLY_CPU_FN double low_sum() const { return sum_of_lanes(low[0] + low[1]); }
  template <class Digits>
  TALLY_CPU_FN void store(Digits& into) const {
    for (int f = 0; f < Folds; ++f)
      TALLY_CLAIM(lanes("folds.sum", high[0][f] - sigma[f], high[1][f] - sigma[f]));
    TALLY_CLAIM(lanes("folds.rest", low[0], low[1]));
    for (int f = 0; f < Folds; ++f)
      into.add(sum_of_lanes((high[0][f] - sigma[f]) + (high[1][f] - sigma[f])));
    into.add(low_sum());
  }
};

// Adds a tile by folds, if its elements lie below 2^top.
template <int Folds, class Tile, class Digits>
TALLY_CPU_FN outcome add_extracted(Tile const& t, int top, Digits& into) {
  tile_reader<Tile> reader;
  extraction<typename decltype(reader)::doubles, bits_of_count<Tile>, Folds> sum(top);
  TALLY_CLAIM(begin());
  reader.for_each(t, [&](auto const& x) __attribute__((always_inline)) {
    TALLY_CPU_UNROLL
    for (int i = 0; i < reader.vectors; ++i) sum.add(i, x[i]);
  });
  exponent_range const e = reader.found(sum.low_sum());
  bool const exact = e.zero || (e.top <= top && sum.holds(top, e.lowest));
  TALLY_CLAIM(settle(e.finite && exact));
  if (e.finite && exact) TALLY_CLAIM(stores("folds", sum, t));
  if (e.finite && exact) sum.store(into);
  return {e, e.finite && exact};
}

}  // namespace tally::detail

#pragma GCC diagnostic pop
