// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/cpu/sum/windows.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tally::detail {

// Whether a window may be used: not where the caller's compiler may fuse operations that must stay
// apart.
template <class T>
inline constexpr bool fits_moments_window =
#if defined(TALLY_NO_CONTRACTION) || !defined(__FMA__)
    floating<T>;
#else
    false;
#endif

// Sums of squares of floats and narrower elements. The squares are exact doubles.
template <class T, class V, int Bits>
struct window_squares {
  extraction<V, Bits> squares;

  static constexpr bool holds(int top, exponent_range const& e) {
    return extraction<V, Bits>::holds(2 * top, 2 * e.lowest);
  }
  explicit TALLY_CPU_FN window_squares(int top) : squares(2 * top) {}
  TALLY_CPU_FN void add(int i, V x) { squares.add_square(i, x); }
  template <class Digits>
  TALLY_CPU_FN void store(Digits& into) const {
    squares.store(into);
  }
};

// Sums of squares of doubles. Each square is a double and that double's error (TwoProduct by a
// fused operation: Ogita, Rump and Oishi, 2005).
template <class V, int Bits>
struct window_squares<double, V, Bits> {
  extraction<V, Bits> squares, errors;

  static constexpr bool holds(int top, exponent_range const& e) {
    return top <= 400 && e.lowest >= -450 &&
           extraction<V, Bits>::holds(2 * top, 2 * (e.lowest + 52) - 52) &&
           extraction<V, Bits>::holds(2 * top - 53, 2 * e.lowest);
  }
  explicit TALLY_CPU_FN window_squares(int top) : squares(2 * top), errors(2 * top - 53) {}
  TALLY_CPU_FN void add(int i, V x) {
    V const square = x * x;
    squares.add(i, square);
    errors.add(i, fused_minus(x, x, square));
  }
  template <class Digits>
  TALLY_CPU_FN void store(Digits& into) const {
    squares.store(into);
    errors.store(into);
  }
};

// Adds up tiles of floating-point numbers and their squares in one pass, while the numbers are
// close enough together, but for a few outliers: of numbers around zero, now and then one is very
// small.
class moments_window {
 public:
  std::uint64_t tiles = 0;

  // Adds a tile, or changes no sum and returns false.
  template <class Tile, class State>
  TALLY_CPU_FN bool add(Tile t, State& s) {
    if constexpr (!fits_moments_window<typename Tile::element>) return false;
    room_for<typename Tile::element, Tile::size> inside;
    room_for<typename Tile::element, max_outliers> outliers;
    int count = 0;  // of outliers, which are added when the others have been
    for (bool again = false;;) {
      auto const [e, added, had_nan] =
          had_nan_ ? try_add<specials::counted>(t, s) : try_add<specials::kept>(t, s);
      if (added) {
        had_nan_ = had_nan;
        ++tiles;
        for (int i = 0; i < count; ++i)
          if (!Tile::skips || !is_nan(outliers.values[i])) s.add(outliers.values[i]);
        return true;
      }
      int const top = e.top + (squares_of<Tile>::holds(e.top + room, e) ? room : 0);
      if (!e.finite && !had_nan_) {
        had_nan_ = true;
      } else if (e.finite && top != top_ && squares_of<Tile>::holds(top, e)) {
        top_ = top;
      } else {
        if (again || (count = take_outliers(t, outliers.values, inside.values)) > max_outliers)
          return false;
        t.data = inside.values;
        again = true;
      }
    }
  }

 private:
  static constexpr int room = 1, max_outliers = 16;
  int top_ = 2;  // no element reaches 2^top_
  bool had_nan_ = false;

  template <class Tile>
  using squares_of = window_squares<typename Tile::element, typename tile_reader<Tile>::doubles,
                                    bits_of_count<Tile>>;
  // 16-bit elements are summed as floats are: they become doubles anyway, for their squares.
  template <class Tile, class Reader = tile_reader<Tile>>
  using sum_of =
      window_sum<Reader,
                 std::conditional_t<std::is_same_v<typename Tile::element, double>, double, float>,
                 bits_of_count<Tile>>;

  template <class Tile>
  static constexpr bool holds(int top, exponent_range const& e) {
    return sum_of<Tile>::holds(top, e) && e.top <= top && squares_of<Tile>::holds(top, e);
  }

  // Copies the elements that no window up to 2^top_ holds to `outliers`, and the tile with zeros in
  // their places to `inside`. Returns how many there are; those beyond max_outliers are not copied.
  template <class Tile, class T = typename Tile::element>
  TALLY_CPU_FN int take_outliers(Tile const& t, T (&outliers)[max_outliers], T* inside) const {
    using f = format<T>;
    using bits = bits_of<T>;
    exponent_range e{top_, top_, false, true};
    while (e.lowest > f::lowest && holds<Tile>(top_, {top_, e.lowest - 1, false, true})) --e.lowest;
    int const field = e.lowest + f::bias + f::precision - 1;
    bits const least = field > 1 ? bits(bits(field) << (f::precision - 1)) : 0;
    bits const above = bits(bits(std::min(top_ + f::bias, f::max_field)) << (f::precision - 1));
    constexpr int lanes = Tile::vector_bytes / sizeof(T);
    using vector = vec<bits, lanes>;
    int count = 0;
    for_each_group<lanes>(t, T{}, [&](T const* p) __attribute__((always_inline)) {
      auto const b = load<vector>(p), magnitude = b & bits(~f::sign);
      // 0 or -1. This is one comparison, of which g++ makes one instruction.
      auto const is_outside = vector(vector(magnitude - least) >= bits(above - least));
      vector const rest = b & ~is_outside, others = magnitude & is_outside;
      __builtin_memcpy(static_cast<void*>(inside), &rest, sizeof rest);
      inside += lanes;
      if (count > max_outliers || !any(others)) return;
      bits other[lanes];
      __builtin_memcpy(other, &others, sizeof others);
      for (int i = 0; i < lanes; ++i)
        if (other[i] != 0 && ++count <= max_outliers) outliers[count - 1] = p[i];
    });
    return count;
  }

  template <specials Specials, class Tile, class State>
  TALLY_CPU_FN outcome try_add(Tile const& t, State& s) const {
    using reader_type = tile_reader<Tile, Specials>;
    reader_type reader;
    sum_of<Tile, reader_type> sum(top_);
    squares_of<Tile> squares(top_);
    TALLY_CLAIM(begin());
    reader.for_each(t, [&](auto const& x) __attribute__((always_inline)) {
      sum.add(x);
      TALLY_CPU_UNROLL
      for (int i = 0; i < reader.vectors; ++i) squares.add(i, x[i]);
    });
    exponent_range const e = reader.found(sum.sum());
    bool const exact = e.zero || holds<Tile>(top_, e);
    TALLY_CLAIM(settle(e.finite && exact && !e.zero));
    if (!e.finite || !exact || !reader.count(s.sum)) return {e, false};
    TALLY_CLAIM(stores("moments_window.sum", sum, t));
    TALLY_CLAIM(stores_squares("moments_window.squares", squares, t));
    sum.store(s.sum.finite);
    squares.store(s.squares.finite);
    return {e, true, reader.had_nan()};
  }
};

}  // namespace tally::detail

#pragma GCC diagnostic pop
