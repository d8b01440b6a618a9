// SPDX-License-Identifier: Apache-2.0
//
// Exact sums of a tile, fast. Each function below either adds a whole tile to a fixed-point number
// without losing a bit, or sees that it cannot and changes nothing. None depends on order, so lanes
// and instruction sets are free; the last resort, one element at a time, is in
// exact_accumulator.hpp.
#pragma once

#include <algorithm>

#include "tally/aggregate/fixed_point.hpp"
#include "tally/aggregate/tile_reader.hpp"
#include "tally/aggregate/vector.hpp"

#ifdef __FAST_MATH__
#error "Tally's sums need the arithmetic as written: compile what includes it without -ffast-math"
#endif

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tally::detail {

// The types up to 32 bits, as the bits of floats of the same value: exact for finite x, not finite
// for the others (float16: 2^16 and up).
template <bool Skip, int Lanes>
TALLY_CPU_FN vec<std::uint32_t, Lanes> float_bits(float const* p) {
  auto const bits = load<vec<std::uint32_t, Lanes>>(p);
  if constexpr (!Skip) return bits;
  return (bits & 0x7fffffff) > 0x7f800000 ? 0 * bits : bits;
}
template <bool Skip, int Lanes>
TALLY_CPU_FN vec<std::uint32_t, Lanes> float_bits(bfloat16 const* p) {
  auto const half = load<vec<std::uint16_t, Lanes>>(p);
  auto const bits = widened<Lanes>(half) << 16;
  if constexpr (!Skip) return bits;
  return (bits & 0x7fffffff) > 0x7f800000 ? 0 * bits : bits;
}
template <bool Skip, int Lanes>
TALLY_CPU_FN vec<std::uint32_t, Lanes> float_bits(float16 const* p) {
  using bits = vec<std::uint32_t, Lanes>;
  auto const half = load<vec<std::uint16_t, Lanes>>(p);
  auto const all = cast<bits>(float16_as_floats<Lanes>(half));
  if constexpr (!Skip) return all;
  return (widened<Lanes>(half) & 0x7fff) > 0x7c00 ? 0 * all : all;
}

// A tile of a type up to 32 bits as floats of the same values, which are put into `converted` if
// they have to be; what is skipped is zero.
template <class Tile>
TALLY_CPU_FN auto as_floats(Tile const& t, float (&converted)[Tile::size]) {
  using T = typename Tile::element;
  tile<float, propagate, Tile::vector_bytes, Tile::size> floats{converted, t.count, t.first};
  if constexpr (std::is_same_v<T, float> && !Tile::skips) {
    floats.data = t.data;
  } else {
    constexpr int lanes = Tile::vector_bytes / 4;
    float* out = converted;
    for_each_group<lanes>(t, T{}, [&](T const* p) __attribute__((always_inline)) {
      auto const b = float_bits<Tile::skips, lanes>(p);
      __builtin_memcpy(out, &b, sizeof b);
      out += lanes;
    });
  }
  return floats;
}

// Where the values of a type lie, seen as floats or (double) as they are: the exponent field of the
// first value that is not finite, of the least normal one, and the precision.
template <floating T>
struct seen_as {
  using host = std::conditional_t<std::is_same_v<T, double>, double, float>;
  static constexpr int not_finite = is_one_of<T, float16> ? 127 + 16 : format<host>::max_field;
  static constexpr int least = is_one_of<T, float16> ? 127 - 14 : 1;
  static constexpr int precision = format<T>::precision;
};

// Calls f(x) for vectors of doubles that hold the tile's values, and zeros.
template <class Tile, class F>
TALLY_CPU_FN void for_each_double(Tile const& t, F&& f) {
  using T = typename Tile::element;
  constexpr int lanes = Tile::vector_bytes / 8;
  using doubles = vec<double, lanes>;
  if constexpr (std::is_same_v<T, double>) {
    for_each_group<lanes>(t, 0.0, [&](double const* p) __attribute__((always_inline)) {
      auto x = load<doubles>(p);
      if constexpr (Tile::skips) x = x == x ? x : 0 * doubles{};
      f(x);
    });
  } else {
    for_each_group<2 * lanes>(t, T{}, [&](T const* p) __attribute__((always_inline)) {
      auto const x = cast<vec<float, 2 * lanes>>(float_bits<Tile::skips, 2 * lanes>(p));
      f(to_doubles<lanes>(half_of<0, float, 2 * lanes>(x)));
      f(to_doubles<lanes>(half_of<1, float, 2 * lanes>(x)));
    });
  }
}

TALLY_CPU_FN double power_of_two(int exponent) {  // for a normal result
  return __builtin_bit_cast(double, std::uint64_t(1023 + exponent) << 52);
}

template <class V>
TALLY_CPU_FN double sum_of_lanes(V v) {
  return fold_lanes(v, [](auto a, auto b) { return a + b; });
}

// Integers, modulo 2^64. Narrow ones are taken two in a word: from the sums of the words and of
// their upper halves that of the lower halves follows. Signed ones are first made unsigned, by 2^31
// more for one of 32 bits.
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

// The sum of a tile whose elements are close enough together for the cheapest exact additions. Each
// has: whether it holds elements that lie there, with a sum made for elements below 2^top; what
// adds a group of the reader; the double that is not finite if an element was not; and store().
template <class Reader, class T, int Bits>
struct window_sum {  // of floats: plain double additions are exact
  using V = typename Reader::doubles;
  V sums[2] = {};

  explicit TALLY_CPU_FN window_sum(int) {}
  static constexpr bool holds(int, reach const& e) { return Bits + e.bits() <= 53; }
  template <class Tile>
  TALLY_CPU_FN void add(Reader& r, Tile const& t) {
    r.for_each(t, [&](auto const& x) __attribute__((always_inline)) { add(x); });
  }
  TALLY_CPU_FN void add(V const (&x)[Reader::parts]) {
    TALLY_CPU_UNROLL
    for (int i = 0; i < Reader::parts; ++i) {
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

// Of doubles: their upper 27 bits and the rest are added up apart.
template <class Reader, int Bits>
struct window_sum<Reader, double, Bits> {
  using V = typename Reader::doubles;
  V upper[2] = {}, lower[2] = {};

  explicit TALLY_CPU_FN window_sum(int) {}
  static constexpr bool holds(int, reach const& e) {
    return e.top + Bits <= 1024 && Bits + e.bits() <= 53 + 26;
  }
  template <class Tile>
  TALLY_CPU_FN void add(Reader& r, Tile const& t) {
    r.for_each(t, [&](auto const& x) __attribute__((always_inline)) { add(x); });
  }
  TALLY_CPU_FN void add(V const (&x)[Reader::parts]) {
    using bits = vec<std::uint64_t, sizeof(V) / 8>;
    TALLY_CPU_UNROLL
    for (int i = 0; i < Reader::parts; ++i) {
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

// Of 16 bits: a fold as above, but in floats, while a lane takes 8 of them. The cut is at 2^(top -
// 19), so that 4 sums of the parts above and 2 of the parts below can still be put together in
// floats if all elements are multiples of 2^(top - 40), as float16 always is.
template <class Reader, int Bits>
struct narrow_sum {
  using V = typename Reader::floats;
  using W = typename Reader::doubles;
  static constexpr int outermost = 120;  // of `top`: the anchor is a normal float
  static constexpr int few = 8, vectors = Reader::float_parts, lanes = sizeof(V) / 4;
  static constexpr int blocks = (1 << Bits) / (few * vectors * lanes);
  V high[vectors], low[vectors];
  float anchor;
  W above{}, below{};

  explicit TALLY_CPU_FN narrow_sum(int top)
      : anchor(std::bit_cast<float>(std::uint32_t(127 + 4 + std::clamp(top, -outermost, outermost))
                                    << 23) *
               1.5f) {
    clear();
  }
  static constexpr bool holds(int top, reach const& e) {
    return top >= -outermost && top <= outermost && e.top <= top && top - e.lowest <= 40;
  }
  template <class Tile>
  TALLY_CPU_FN void add(Reader& r, Tile const& t) {
    int taken = 0;
    r.for_each_float(t, [&](auto const& x) __attribute__((always_inline)) {
      TALLY_CPU_UNROLL
      for (int i = 0; i < vectors; ++i) {
        V const next = high[i] + x[i], part = minus_fused(next, high[i]);
        TALLY_CLAIM(within("narrow.room", next - anchor, anchor / 3));
        TALLY_CLAIM(adds("narrow.rest", low[i], minus_fused(x[i], part)));
        low[i] += minus_fused(x[i], part);
        high[i] = next;
      }
      if (blocks > 1 && ++taken == few) flush(), taken = 0;
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
    for (int i = 0; i < vectors; ++i) high[i] = zero + anchor, low[i] = zero;
  }
  // 32 of a lane are still exact above the cut, 16 below.
  TALLY_CPU_FN void flush() {
    TALLY_CLAIM(adds("narrow.above", (high[0] - anchor) + (high[1] - anchor),
                     (high[2] - anchor) + (high[3] - anchor)));
    TALLY_CLAIM(adds("narrow.below", low[0], low[1]));
    TALLY_CLAIM(adds("narrow.below", low[2], low[3]));
    above = plus(above, ((high[0] - anchor) + (high[1] - anchor)) +
                            ((high[2] - anchor) + (high[3] - anchor)));
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
  static constexpr bool holds(int, reach const&) { return true; }
};
template <class Reader, int Bits>
struct window_sum<Reader, bfloat16, Bits> : narrow_sum<Reader, Bits> {
  using narrow_sum<Reader, Bits>::narrow_sum;
};

// Where the elements of a tile lie; whether its sum was exact and has been added; and whether there
// were NaNs, which have been counted.
struct outcome {
  reach where;
  bool added, laden = false;
};

// Adds a tile in a window; its elements are taken to lie below 2^top.
template <specials Specials, class Tile, class State>
TALLY_CPU_FN outcome add_window(Tile const& t, int top, State& s) {
  using reader_type = tile_reader<Tile, Specials>;
  reader_type reader;
  window_sum<reader_type, typename Tile::element, bits_of_count<Tile>> sum(top);
  TALLY_CLAIM(begin());
  sum.add(reader, t);
  reach const e = reader.found(sum.sum());
  bool const exact = e.zero || sum.holds(top, e);
  TALLY_CLAIM(settle(e.finite && exact && !e.zero));
  if (!e.finite || !exact || !reader.count(s)) return {e, false};
  TALLY_CLAIM(stores("window", sum, t));
  sum.store(s.finite);
  return {e, true, reader.laden()};
}

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
  reach const e = reader.found(sum.low_sum());
  bool const exact = e.zero || (e.top <= top && sum.holds(top, e.lowest));
  TALLY_CLAIM(settle(e.finite && exact));
  if (e.finite && exact) TALLY_CLAIM(stores("folds", sum, t));
  if (e.finite && exact) sum.store(into);
  return {e, e.finite && exact};
}

}  // namespace tally::detail

#pragma GCC diagnostic pop
