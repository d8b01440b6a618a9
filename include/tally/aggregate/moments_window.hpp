// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/aggregate/windows.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tally::detail {

// The caller's compiler may fuse what must stay apart.
template <class T>
inline constexpr bool fits_moments_window =
#if defined(TALLY_NO_CONTRACTION) || !defined(__FMA__)
    floating<T>;
#else
    false;
#endif

// Squares of floats and narrower, which are exact doubles.
template <class T, class V, int Bits>
struct window_squares {
  folded_sum<V, Bits> squares;

  static constexpr bool holds(int top, reach const& e) {
    return folded_sum<V, Bits>::holds(2 * top, 2 * e.lowest);
  }
  explicit TALLY_CPU_FN window_squares(int top) : squares(2 * top) {}
  TALLY_CPU_FN void add(int i, V x) { squares.add_square(i, x); }
  template <class Digits>
  TALLY_CPU_FN void store(Digits& into) const {
    squares.store(into);
  }
};

// A square of a double is a double and the error of that.
template <class V, int Bits>
struct window_squares<double, V, Bits> {
  folded_sum<V, Bits> squares, errors;

  static constexpr bool holds(int top, reach const& e) {
    return top <= 400 && e.lowest >= -450 &&
           folded_sum<V, Bits>::holds(2 * top, 2 * (e.lowest + 52) - 52) &&
           folded_sum<V, Bits>::holds(2 * top - 53, 2 * e.lowest);
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

// The sum and the sum of squares of tiles of floating-point numbers, in one pass, while they are
// close enough together.
class moments_window {
 public:
  // Adds a tile, or changes no sum and returns false.
  template <class Tile, class State>
  TALLY_CPU_FN bool add(Tile const& t, State& s) {
    using doubles = vec<double, Tile::vector_bytes / 8>;
    for (int tries = 0; tries < 3; ++tries) {
      auto const [e, added, laden] =
          laden_ ? try_add<specials::counted>(t, s) : try_add<specials::kept>(t, s);
      if (added) {
        laden_ = laden;
        return true;
      }
      using fits = window_squares<typename Tile::element, doubles, bits_of_count<Tile>>;
      int const top = e.top + (fits::holds(e.top + room, e) ? room : 0);
      if (!e.finite && !laden_)
        laden_ = true;
      else if (e.finite && top != top_ && fits::holds(top, e))
        top_ = top;
      else
        return false;
    }
    return false;
  }

 private:
  static constexpr int room = 1;
  int top_ = 2;  // no element reaches 2^top_
  bool laden_ = false;

  template <specials Specials, class Tile, class State>
  TALLY_CPU_FN outcome try_add(Tile const& t, State& s) const {
    using T = typename Tile::element;
    using reader_type = tile_reader<Tile, Specials>;
    using doubles = typename reader_type::doubles;
    // Halves and the like as floats: they are converted to double anyway, for their squares.
    using sum_type =
        window_sum<reader_type, std::conditional_t<std::is_same_v<T, double>, T, float>,
                   bits_of_count<Tile>>;
    reader_type reader;
    sum_type sum(top_);
    window_squares<T, doubles, bits_of_count<Tile>> squares(top_);
    reader.for_each(t, [&](auto const& x) __attribute__((always_inline)) {
      sum.add(x);
      TALLY_CPU_UNROLL
      for (int i = 0; i < reader.parts; ++i) squares.add(i, x[i]);
    });
    reach const e = reader.found(sum.sum());
    bool const exact = e.zero || (sum.holds(top_, e) && e.top <= top_ && squares.holds(top_, e));
    if (!e.finite || !exact || !reader.count(s.sum)) return {e, false};
    sum.store(s.sum.finite);
    squares.store(s.squares.finite);
    return {e, true, reader.laden()};
  }
};

}  // namespace tally::detail

#pragma GCC diagnostic pop
