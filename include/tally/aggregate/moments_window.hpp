// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/aggregate/folds.hpp"

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

// Numbers below 2^top, of which all lies above 2^lowest, added up without error: what is above 2^w
// apart from what is below (a fold, as in folds.hpp), two vectors in turn.
template <class V>
struct folded_sum {
  V high[2], low[2] = {};
  double anchor;

  static constexpr int cut(int top) { return top + tile_bits - 51; }  // w
  // Whether a tile's low parts are exact.
  static constexpr bool holds(int top, int lowest) { return cut(top) + tile_bits - lowest <= 53; }
  explicit TALLY_CPU_FN folded_sum(int top) : anchor(1.5 * power_of_two(52 + cut(top))) {
    high[0] = high[1] = anchor + V{};
  }
  TALLY_CPU_FN void add(int i, V x) {
    V const next = high[i] + x;
    low[i] += x - (next - high[i]);
    high[i] = next;
  }
  template <class Digits>
  TALLY_CPU_FN void store(Digits& into) const {
    into.add(sum_of_lanes((high[0] - anchor) + (high[1] - anchor)));
    into.add(sum_of_lanes(low[0] + low[1]));
  }
};

// The sum and the sum of squares of tiles of floating-point numbers, in one pass, while they are
// close enough together. Sums are as in windows.hpp; a square is an exact double, or of doubles the
// sum of two.
class moments_window {
 public:
  // Adds a tile, or changes no sum and returns false.
  template <class Tile, class Sum, class Squares>
  TALLY_CPU_FN bool add(Tile const& t, Sum& sum, Squares& squares) {
    for (int tries = 0; tries < 2; ++tries) {
      int const top = try_add(t, sum, squares);
      if (top == added) return true;
      if (top == refused || top == top_) return false;
      top_ = top;
    }
    return false;
  }

 private:
  static constexpr int added = -10000, refused = -10001, room = 1;
  int top_ = 2;  // no element reaches 2^top_

  // What try_add returns of a tile whose elements lie below 2^top and above 2^lowest.
  TALLY_CPU_FN int verdict(int top, bool fits) const {
    if (top <= top_ && fits) return added;
    return top < -400 || top > 400 ? refused : top + room;
  }

  // Floats and narrower: `added`, or `refused`, or a better top_.
  template <class Tile, class Sum, class Squares>
  TALLY_CPU_FN int try_add(Tile const& t, Sum& sum, Squares& squares) const {
    using T = typename Tile::element;
    using seen = seen_as<T>;
    constexpr int lanes = Tile::vector_bytes / 4;
    using bits = vec<std::uint32_t, lanes>;
    using doubles = vec<double, lanes / 2>;
    bits largest{}, smallest = ~largest;
    doubles plain[2] = {};
    folded_sum<doubles> folded(2 * top_);
    for_each_group<lanes>(t, T{}, [&](T const* p) __attribute__((always_inline)) {
      bits const b = float_bits<Tile::skips, lanes>(p);
      bits const magnitude = b & 0x7fffffff;
      largest = max_of(largest, magnitude);
      smallest = min_of(smallest, magnitude - 1);  // a zero becomes large
      auto const f = cast<vec<float, lanes>>(b);
      doubles const x[2] = {to_doubles<lanes / 2>(half_of<0, float, lanes>(f)),
                            to_doubles<lanes / 2>(half_of<1, float, lanes>(f))};
      for (int i = 0; i < 2; ++i) {
        plain[i] += x[i];
        folded.add(i, x[i] * x[i]);
      }
    });
    auto const most = fold_lanes(largest, [](auto a, auto b) { return a > b ? a : b; });
    auto const least = fold_lanes(smallest, [](auto a, auto b) { return a < b ? a : b; });
    if (most == 0) return added;
    int const top = int(most >> 23), bottom = std::max(int(least >> 23), seen::least);
    if (top >= seen::not_finite || tile_bits + (top + 1 - bottom) + (seen::precision - 1) > 53)
      return refused;
    int const lowest = bottom - 127 - (seen::precision - 1);
    int const found = verdict(top - 126, folded.holds(2 * top_, 2 * lowest));
    if (found != added) return found;
    sum.add(sum_of_lanes(plain[0] + plain[1]));
    folded.store(squares);
    return added;
  }

  // double: the element in halves, its square as a double and that one's error.
  template <class Tile, class Sum, class Squares>
    requires std::is_same_v<typename Tile::element, double>
  TALLY_CPU_FN int try_add(Tile const& t, Sum& sum, Squares& squares) const {
    constexpr int lanes = Tile::vector_bytes / 8;
    using doubles = vec<double, lanes>;
    using bits = vec<std::int64_t, lanes>;
    bits largest{}, smallest = ~(bits{} + std::numeric_limits<std::int64_t>::min());
    doubles upper[2] = {}, lower[2] = {};
    folded_sum<doubles> folded(2 * top_), errors(2 * top_ - 53);
    for_each_group<2 * lanes>(t, 0.0, [&](double const* p) __attribute__((always_inline)) {
      for (int i = 0; i < 2; ++i) {
        auto x = load<doubles>(p + i * lanes);
        if constexpr (Tile::skips) x = x == x ? x : 0 * doubles{};
        auto const b = cast<vec<std::uint64_t, lanes>>(x), magnitude = b & ~format<double>::sign;
        largest = max_of(largest, cast<bits>(magnitude));
        smallest = min_of(smallest, cast<bits>((magnitude - 1) >> 1));
        auto const high = cast<doubles>(b & (~std::uint64_t(0) << 26));
        upper[i] += high;
        lower[i] += x - high;
        doubles const square = x * x;
        folded.add(i, square);
        errors.add(i, fused(x, x, -square));
      }
    });
    auto const most = fold_lanes(largest, [](auto a, auto b) { return a > b ? a : b; });
    auto const least = fold_lanes(smallest, [](auto a, auto b) { return a < b ? a : b; });
    if (most == 0) return added;
    int const top = int(most >> 52) - 1022, bottom = std::max(int(least >> 51), 1) - 1023;
    if (top > 400 || bottom < -400 || tile_bits + (top - bottom) + 26 > 53) return refused;
    int const found = verdict(top, folded.holds(2 * top_, 2 * bottom - 52) &&
                                       errors.holds(2 * top_ - 53, 2 * (bottom - 52)));
    if (found != added) return found;
    sum.add(sum_of_lanes(upper[0] + upper[1]));
    sum.add(sum_of_lanes(lower[0] + lower[1]));
    folded.store(squares);
    errors.store(squares);
    return added;
  }

  template <class V>
  static TALLY_CPU_FN V fused(V x, V y, V z) {
    constexpr unsigned lanes = sizeof x / sizeof x[0];
    double a[lanes], b[lanes], c[lanes];  // there is no operator for a fused vector operation
    __builtin_memcpy(a, &x, sizeof x);
    __builtin_memcpy(b, &y, sizeof x);
    __builtin_memcpy(c, &z, sizeof x);
    for (unsigned i = 0; i < lanes; ++i) c[i] = __builtin_fma(a[i], b[i], c[i]);
    __builtin_memcpy(&x, c, sizeof x);
    return x;
  }
};

}  // namespace tally::detail

#pragma GCC diagnostic pop
