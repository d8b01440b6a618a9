// SPDX-License-Identifier: Apache-2.0
//
// Exact sums of a tile, fast. What is here and in windows.hpp either adds a whole tile to a
// fixed-point number without losing a bit, or sees that it cannot and changes nothing. None depends
// on order, so lanes and instruction sets are free; the last resort, one element at a time, is in
// exact_accumulator.hpp.
#pragma once

#include <algorithm>

#include "tally/claim.hpp"
#include "tally/cpu/tile/conversions.hpp"
#include "tally/cpu/tile/tile_reader.hpp"

#ifdef __FAST_MATH__
#error "Tally's sums need the arithmetic as written: compile what includes it without -ffast-math"
#endif

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tally::detail {

// Where the elements of a tile lie; whether its sum was exact and has been added; and whether there
// were NaNs, which have been counted.
struct outcome {
  exponent_range where;
  bool added, laden = false;
};

// Numbers below 2^top added up without error, while all are multiples of a `lowest` for which
// holds(top, lowest). Adding x to 1.5 * 2^(52 + w) cuts x at 2^w: the sum keeps the part above, and
// the part below goes on to the next fold, or, after the last one, into a plain sum. (Extraction as
// in Rump, Ogita and Oishi, "Accurate floating-point summation"; a fold takes 52 bits less
// the Bits of a tile's number of elements.) Two vectors are taken in turn.
template <class V, int Bits, int Folds = 1>
struct folded_sum {
  V high[2][Folds], low[2] = {};
  double anchor[Folds];

  static constexpr int step = 52 - Bits;
  static constexpr int cut(int top) { return top + Bits - 51; }  // w
  static constexpr bool holds(int top, int lowest) {
    return top >= -700 && top <= 1000 && cut(top) - step * (Folds - 1) + Bits - lowest <= 53;
  }
  explicit TALLY_CPU_FN folded_sum(int top) {
    V const zero{};
    for (int f = 0; f < Folds; ++f) {
      anchor[f] = 1.5 * power_of_two(52 + cut(top) - step * f);
      high[0][f] = high[1][f] = anchor[f] + zero;
    }
  }
  TALLY_CPU_FN void add(int i, V x) {
    TALLY_CPU_UNROLL
    for (int f = 0; f < Folds; ++f) {
      V const next = high[i][f] + x, part = minus_fused(next, high[i][f]);
      x = minus_fused(x, part);
      TALLY_CLAIM(within("folds.room", next - anchor[f], anchor[f] / 3));
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
      TALLY_CLAIM(within("folds.room", next - anchor[0], anchor[0] / 3));
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
      TALLY_CLAIM(lanes("folds.sum", high[0][f] - anchor[f], high[1][f] - anchor[f]));
    TALLY_CLAIM(lanes("folds.rest", low[0], low[1]));
    for (int f = 0; f < Folds; ++f)
      into.add(sum_of_lanes((high[0][f] - anchor[f]) + (high[1][f] - anchor[f])));
    into.add(low_sum());
  }
};

// Adds a tile by folds, if its elements lie below 2^top.
template <int Folds, class Tile, class Digits>
TALLY_CPU_FN outcome add_folded(Tile const& t, int top, Digits& into) {
  tile_reader<Tile> reader;
  folded_sum<typename decltype(reader)::doubles, bits_of_count<Tile>, Folds> sum(top);
  TALLY_CLAIM(begin());
  reader.for_each(t, [&](auto const& x) __attribute__((always_inline)) {
    TALLY_CPU_UNROLL
    for (int i = 0; i < reader.parts; ++i) sum.add(i, x[i]);
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
