// SPDX-License-Identifier: Apache-2.0
//
// Exact sums of a tile: by plain additions where its elements are close together, in a window of
// the bits that a double has, else by extraction. A whole tile is either added to a fixed-point
// number without losing a bit, or nothing is changed. No result depends on the order of additions,
// so lanes and instruction sets are free.
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

// The sum of a tile whose elements are close enough together for the cheapest exact additions.
// Every specialisation has
//   window_sum(top)                  for elements below 2^top
//   holds(top, e)                    whether it is exact for elements in the range e
//   add(reader, tile), add(vectors)
//   sum()                            what the reader's found() asks for
//   store(digits)                    adds it to a fixed-point number
template <class Reader, class T, int Bits>
struct window_sum {  // plain double additions of floats are exact
  using V = typename Reader::doubles;
  V sums[2] = {};

  explicit TALLY_CPU_FN window_sum(int) {}
  static constexpr bool holds(int, exponent_range const& e) { return Bits + e.bits() <= 53; }
  template <class Tile>
  TALLY_CPU_FN void add(Reader& r, Tile const& t) {
    r.for_each(t, [&](auto const& x) __attribute__((always_inline)) { add(x); });
  }
  TALLY_CPU_FN void add(V const (&x)[Reader::vectors]) {
    TALLY_CPU_UNROLL
    for (int i = 0; i < Reader::vectors; ++i) {
      TALLY_CLAIM(adds("window.sums", sums[i], x[i]));
      sums[i] = plus_fused(x[i], sums[i]);
    }
  }
  TALLY_CPU_FN double sum() const { return sum_of_lanes(sums[0] + sums[1]); }
  template <class Digits>
  TALLY_CPU_FN void store(Digits& into) const {
    TALLY_CLAIM(lanes("window.sums", sums[0], sums[1]));
    into.add(sum());
  }
};

// The sum of doubles: the upper 27 bits of each and the rest are added up apart.
template <class Reader, int Bits>
struct window_sum<Reader, double, Bits> {
  using V = typename Reader::doubles;
  V upper[2] = {}, lower[2] = {};

  explicit TALLY_CPU_FN window_sum(int) {}
  static constexpr bool holds(int, exponent_range const& e) {
    return e.top + Bits <= 1024 && Bits + e.bits() <= 53 + 26;
  }
  template <class Tile>
  TALLY_CPU_FN void add(Reader& r, Tile const& t) {
    r.for_each(t, [&](auto const& x) __attribute__((always_inline)) { add(x); });
  }
  TALLY_CPU_FN void add(V const (&x)[Reader::vectors]) {
    using bits = vec<std::uint64_t, sizeof(V) / 8>;
    TALLY_CPU_UNROLL
    for (int i = 0; i < Reader::vectors; ++i) {
      V const high = cast<V>(cast<bits>(x[i]) & (~std::uint64_t(0) << 26));
      TALLY_CLAIM(adds("window.upper", upper[i], high));
      TALLY_CLAIM(adds("window.lower", lower[i], x[i] - high));
      upper[i] += high;
      lower[i] += x[i] - high;
    }
  }
  TALLY_CPU_FN double sum() const { return 0; }
  template <class Digits>
  TALLY_CPU_FN void store(Digits& into) const {
    TALLY_CLAIM(lanes("window.upper", upper[0], upper[1]));
    TALLY_CLAIM(lanes("window.lower", lower[0], lower[1]));
    TALLY_CLAIM(within("window.top", sum_of_lanes(upper[0] + upper[1]),
                       std::numeric_limits<double>::max()));
    into.add(sum_of_lanes(upper[0] + upper[1]));
    into.add(sum_of_lanes(lower[0] + lower[1]));
  }
};

// The sum of 16-bit elements, by one extraction in floats, whose sigma leaves
// multiples of 2^(top - 19). A lane takes 8 elements before the sums go on to doubles. Until then 4
// sums of what is extracted, and 2 of what is left, can be put together in floats without error, if
// all elements are multiples of 2^(top - 40), as float16 always are.
template <class Reader, int Bits>
struct narrow_sum {
  using V = typename Reader::floats;
  using W = typename Reader::doubles;
  static constexpr int outermost = 120;  // as far as `top` may go either way, for a normal sigma
  static constexpr int max_taken = 8, vectors = Reader::float_vectors, lanes = sizeof(V) / 4;
  static constexpr int blocks = (1 << Bits) / (max_taken * vectors * lanes);
  V high[vectors], low[vectors];
  float sigma;
  W above{}, below{};

  explicit TALLY_CPU_FN narrow_sum(int top)
      : sigma(std::bit_cast<float>(std::uint32_t(127 + 4 + std::clamp(top, -outermost, outermost))
                                   << 23) *
              1.5f) {
    clear();
  }
  static constexpr bool holds(int top, exponent_range const& e) {
    return top >= -outermost && top <= outermost && e.top <= top && top - e.lowest <= 40;
  }
  template <class Tile>
  TALLY_CPU_FN void add(Reader& r, Tile const& t) {
    int taken = 0;
    r.for_each_float(t, [&](auto const& x) __attribute__((always_inline)) {
      TALLY_CPU_UNROLL
      for (int i = 0; i < vectors; ++i) {
        V const next = high[i] + x[i], extracted = minus_fused(next, high[i]);
        TALLY_CLAIM(within("narrow.room", next - sigma, sigma / 3));
        TALLY_CLAIM(adds("narrow.rest", low[i], minus_fused(x[i], extracted)));
        low[i] += minus_fused(x[i], extracted);
        high[i] = next;
      }
      if (blocks > 1 && ++taken == max_taken) flush(), taken = 0;
    });
    flush();
  }
  TALLY_CPU_FN double sum() const { return sum_of_lanes(above) + sum_of_lanes(below); }
  template <class Digits>
  TALLY_CPU_FN void store(Digits& into) const {
    into.add(sum_of_lanes(above));
    into.add(sum_of_lanes(below));
  }

 private:
  TALLY_CPU_FN void clear() {
    V const zero{};
    TALLY_CPU_UNROLL
    for (int i = 0; i < vectors; ++i) high[i] = zero + sigma, low[i] = zero;
  }
  // In floats, sums of 32 extracted numbers are still exact, and sums of 16 that are left.
  TALLY_CPU_FN void flush() {
    TALLY_CLAIM(adds("narrow.above", (high[0] - sigma) + (high[1] - sigma),
                     (high[2] - sigma) + (high[3] - sigma)));
    TALLY_CLAIM(adds("narrow.below", low[0], low[1]));
    TALLY_CLAIM(adds("narrow.below", low[2], low[3]));
    above = plus(above,
                 ((high[0] - sigma) + (high[1] - sigma)) + ((high[2] - sigma) + (high[3] - sigma)));
    below = plus(plus(below, low[0] + low[1]), low[2] + low[3]);
    clear();
  }
  static TALLY_CPU_FN W plus(W sum, V x) {
    return (sum + to_doubles<lanes / 2>(half_of<0, float, lanes>(x))) +
           to_doubles<lanes / 2>(half_of<1, float, lanes>(x));
  }
};
template <class Reader, int Bits>
struct window_sum<Reader, float16, Bits> : narrow_sum<Reader, Bits> {
  explicit TALLY_CPU_FN window_sum(int) : narrow_sum<Reader, Bits>(16) {}
  static constexpr bool holds(int, exponent_range const&) { return true; }
};
template <class Reader, int Bits>
struct window_sum<Reader, bfloat16, Bits> : narrow_sum<Reader, Bits> {
  using narrow_sum<Reader, Bits>::narrow_sum;
};

// Adds a tile in a window; its elements are taken to lie below 2^top.
template <specials Specials, class Tile, class State>
TALLY_CPU_FN outcome add_window(Tile const& t, int top, State& s) {
  using reader_type = tile_reader<Tile, Specials>;
  reader_type reader;
  window_sum<reader_type, typename Tile::element, bits_of_count<Tile>> sum(top);
  TALLY_CLAIM(begin());
  sum.add(reader, t);
  exponent_range const e = reader.found(sum.sum());
  bool const exact = e.zero || sum.holds(top, e);
  TALLY_CLAIM(settle(e.finite && exact && !e.zero));
  if (!e.finite || !exact || !reader.count(s)) return {e, false};
  TALLY_CLAIM(stores("window", sum, t));
  sum.store(s.finite);
  return {e, true, reader.had_nan()};
}

}  // namespace tally::detail

#pragma GCC diagnostic pop
