// SPDX-License-Identifier: Apache-2.0
//
// Correctly rounded prefix sums, a tile at a time.
#pragma once

#include <cmath>
#include <limits>

#include "tally/aggregate/exact_accumulator.hpp"
#include "tally/aggregate/tile_sums.hpp"
#include "tally/cpu/path_counters.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tally::detail {

// The exact sum of all before the tile, as high + low + rest:
//   high   a multiple of 2^w1, w1 = top - 52, |high| < 2^top
//   low    a multiple of 2^w2, w2 = w1 - 42, at most about 2^(w1 - 1) between tiles
//   rest   whatever is finer, |rest| < 2^w2; most often zero
// An element splits the same way. As long as it has nothing below 2^w2, the running sums of the
// high parts and of the low parts are exact doubles, and an output is their sum, rounded once. A
// nonzero rest is represented by half a unit of 2^w2: it decides a tie the right way, and cannot do
// more as long as no rounding boundary near the output is finer than 2^w2.
//
// Most tiles of narrower types need less: the sums of their own elements are exact doubles, and
// what was before them is added to each and rounded.
template <floating In, floating Out, class State>
class exact_prefix {
 public:
  explicit exact_prefix(State const& s) : rest_(s) {}

  void store(State& s) const {
    s = rest_;
    s.finite.add(high_);
    s.finite.add(low_);
  }

  // Writes the tile's running sums and moves past it; or changes no value and returns false.
  template <class Tile>
  TALLY_CPU_FN bool emit(Tile const& t, Out* out) {
    if (!rest_.is_finite_sum()) return emit_settled(t, out);
    reach e;
    if constexpr (!std::is_same_v<In, double> && !std::is_same_v<Out, double>) {
      tile_sums<In, Tile::vector_bytes / 8> sums;
      e = sums.take(t);
      if (!e.finite || !fit_for(e, false)) return false;
      if (e.top + tile_bits - e.lowest <= 53 && emit_near(t.count, e, sums, out)) return true;
    } else {
      auto const x = extent_of(t);
      e = {x.top, 0, x.zero, true};
      if (!fit_for(e, false)) return false;
    }
    for (bool lowered = false;; lowered = true) {
      if (try_emit(t, out)) return true;
      // A lower window may reach the bits, or the small outputs, that this one does not.
      if (lowered || !fit_for(e, true)) return false;
    }
  }

 private:
  // Sees that the window has room for a tile; `lowest`: and no more than that.
  TALLY_CPU_FN bool fit_for(reach const& e, bool lowest) {
    int const needed = e.zero ? lowest_top : e.top + tile_bits + 1;
    bool const fits = needed <= top_ && std::fabs(high_) <= power_of_two(top_ - 1);
    return (fits && !lowest) || fit(needed, lowest ? 0 : slack);
  }

  static constexpr int slack = 4;  // room to grow before the next fit
  static constexpr int lowest_top = std::max(-900, format<In>::lowest + 94);
  using narrowed = std::conditional_t<std::is_same_v<Out, double>, float, Out>;
  static constexpr int no_window = std::numeric_limits<int>::min();

  double high_ = 0, low_ = 0;
  State rest_;
  double sticky_ = 0;    // half a unit of 2^w2 with the sign of rest, or 0
  int top_ = no_window;  // of the present window

  static TALLY_CPU_FN double anchor(int w) { return 1.5 * power_of_two(52 + w); }
  static TALLY_CPU_FN double multiple_of(double x, double anchor) { return (anchor + x) - anchor; }

  // Chooses a window that holds the present sum and elements below 2^(needed - tile_bits - 1).
  TALLY_CPU_COLD bool fit(int needed, int room) {
    count_path(path::scan_fit);
    if (!rest_.is_finite_sum()) return false;
    rest_.finite.add(high_);
    rest_.finite.add(low_);
    high_ = low_ = 0;
    auto const take = [&](double x) {
      rest_.finite.add(-x);
      return x;
    };
    double const all = rest_.finite.template round<double>();
    int const own = int(std::bit_cast<std::uint64_t>(std::fabs(all)) >> 52) - 1022;
    top_ = std::max({needed, own + 1, lowest_top}) + room;
    if (top_ > 1000) {
      top_ = no_window;
      return false;
    }
    high_ = take(multiple_of(all, anchor(top_ - 52)));
    low_ = take(multiple_of(rest_.finite.template round<double>(), anchor(top_ - 94)));
    double const fine = rest_.finite.template round<double>();
    sticky_ = fine == 0 ? 0 : std::copysign(power_of_two(top_ - 95), fine);
    return true;
  }

  // What is NaN remains so, and what is infinite until something else that is not finite comes.
  template <class Tile>
  TALLY_CPU_FN bool emit_settled(Tile const& t, Out* out) const {
    if (!rest_.is_nan_sum() && !exact_accumulator<In>::all_finite(t)) return false;
    std::fill_n(out, t.count, rest_.template result<Out>());
    return true;
  }

  // Writes a vector of results for elements k and on; what is beyond the tile is left out.
  template <class Tile, class V>
  static TALLY_CPU_FN void write(Tile const& t, Out* out, int k, V const& y) {
    constexpr int lanes = sizeof y / sizeof(Out);
    if (k + lanes <= t.count)
      __builtin_memcpy(static_cast<void*>(out + k), &y, sizeof y);
    else if (k < t.count)
      __builtin_memcpy(static_cast<void*>(out + k), &y, std::size_t(t.count - k) * sizeof(Out));
  }

  // The grid on which everything lies, if base and all prefixes of the tile fit a double; what is
  // finer in the base is represented by the bits below.
  template <class Sums>
  TALLY_CPU_FN bool emit_near(int count, reach const& e, Sums& sums, Out* out) {
    double base = high_, rest = low_ + sticky_, least = 0;
    int tolerance = 0;
    int const own = std::max(exponent_above(high_), exponent_above(low_));
    int grid = std::max(own, e.top + tile_bits) - 50;
    if (sticky_ != 0) grid = std::max(grid, top_ - 94);
    if (e.lowest >= grid) {
      base = multiple_of(high_, anchor(grid));
      rest += high_ - base;
      if (rest != 0) {
        double const whole = multiple_of(rest, anchor(grid));
        base += whole;
        if (rest != whole) base += std::copysign(power_of_two(grid - 2), rest - whole);
        least = rest != whole ? power_of_two(grid + format<Out>::precision + 2) : 0;
      }
      rest = 0;
    } else {
      // Three additions round, of numbers up to 2^7 times the result.
      tolerance = 1 << 9;
      int const largest = std::max({e.top + tile_bits, exponent_above(low_), top_ - 94 + 60});
      least = power_of_two(std::max(largest - 7, format<Out>::lowest + format<Out>::precision));
    }
    double const sum = sums.accumulate();
    return sums.template emit<Out>(count, base, rest, tolerance, least, out) && advance(sum);
  }

  static TALLY_CPU_FN int exponent_above(double x) {
    return int(std::bit_cast<std::uint64_t>(std::fabs(x)) >> 52) - 1022;
  }

  // Adds the sum of a tile; false if it has bits below the window.
  TALLY_CPU_FN bool advance(double sum) {
    double const m1 = anchor(top_ - 52), m2 = anchor(top_ - 94);
    double const h = multiple_of(sum, m1), l = multiple_of(sum - h, m2);
    if (sum - h != l) return false;
    move_past(high_ + h, low_ + l);
    return true;
  }
  // The low part has grown by up to 2^9: what it can, it hands up.
  TALLY_CPU_FN void move_past(double high, double low) {
    double const up = multiple_of(low, anchor(top_ - 52));
    high_ = high + up;
    low_ = low - up;
  }

  template <class Tile>
  TALLY_CPU_FN bool try_emit(Tile const& t, Out* out) {
    constexpr int lanes = Tile::vector_bytes / 8;
    using doubles = vec<double, lanes>;
    double const m1 = anchor(top_ - 52), m2 = anchor(top_ - 94), sticky = sticky_;
    double const least = sticky == 0 ? 0 : power_of_two(top_ - 94 + format<Out>::precision + 2);
    doubles high = high_ + doubles{}, low = low_ + doubles{}, smallest = least + doubles{};
    vec<std::uint64_t, lanes> left{};
    near_midpoint<narrowed, lanes> rounded(0, 0);
    int k = 0;
    for_each_double(t, [&](doubles x) __attribute__((always_inline)) {
      doubles const h = (m1 + x) - m1, rest = x - h, l = (m2 + rest) - m2;
      left |= cast<decltype(left)>(rest - l) << 1;
      auto const hs = running_sums<1, double, lanes>(h), ls = running_sums<1, double, lanes>(l);
      doubles const a = high + hs, b = low + ls + sticky, sum = a + b;
      high += hs[lanes - 1];
      low += ls[lanes - 1];
      auto const sign_mask = std::numeric_limits<std::int64_t>::max();
      smallest = min_of(smallest, cast<doubles>(cast<vec<std::int64_t, lanes>>(sum) & sign_mask));
      if constexpr (std::is_same_v<Out, double>)
        write(t, out, k, sum);
      else
        write(t, out, k, rounded.finish(rounded(to_odd(a, b, sum))));
      k += lanes;
    });
    if (any(left) || any(smallest < least) || (!std::is_same_v<Out, double> && !rounded.right()))
      return false;
    move_past(high[0], low[0]);
    return true;
  }

  // a + b = sum but for its rounding, rounded to odd instead, so that a second rounding sees what
  // the first one dropped.
  template <class V>
  static TALLY_CPU_FN V to_odd(V a, V b, V sum) {
    using bits = vec<std::int64_t, sizeof(V) / 8>;
    V const back = sum - a, error = (a - (sum - back)) + (b - back);
    bits const s = cast<bits>(sum), toward = ((s ^ cast<bits>(error)) >> 63) | 1;
    return cast<V>(s + (toward & bits(error != 0) & ((s & 1) - 1)));
  }
};

}  // namespace tally::detail

#pragma GCC diagnostic pop
