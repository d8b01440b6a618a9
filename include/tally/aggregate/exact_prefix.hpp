// SPDX-License-Identifier: Apache-2.0
//
// Correctly rounded prefix sums, a tile at a time.
#pragma once

#include <cmath>
#include <limits>

#include "tally/aggregate/exact_state.hpp"
#include "tally/aggregate/folds.hpp"
#include "tally/cpu/path_counters.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tally::detail {

// A double rounded to odd as a half, rounded once to nearest even, in code that vectorises.
template <class Half>
TALLY_CPU_FN Half narrow(double x) {
  constexpr bool is_float16 = is_one_of<Half, float16>;
  if constexpr (is_float16) x = x > 0x1p17 ? 0x1p17 : x < -0x1p17 ? -0x1p17 : x;
  // To odd once more, in a float.
  float const nearest = float(x);
  double const error = x - double(nearest);
  std::uint32_t bits = std::bit_cast<std::uint32_t>(nearest);
  bool const away = (error < 0) == (bits >> 31 != 0);
  bits += error != 0 && !(bits & 1) ? (away ? 1u : ~0u) : 0u;
  std::uint32_t const sign = bits >> 31 << 15, magnitude = bits & 0x7fffffff;
  if constexpr (!is_float16) {
    return bfloat16::from_bits(
        std::uint16_t(sign | (magnitude + 0x7fff + (magnitude >> 16 & 1)) >> 16));
  } else {
    std::uint32_t const rebased = magnitude - (112u << 23);
    std::uint32_t const normal = (rebased + 0xfff + (rebased >> 13 & 1)) >> 13;
    // A subnormal is rounded where it is added to one half, whose last bit is worth 2^-24.
    std::uint32_t const subnormal =
        std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3f000000;
    std::uint32_t const finite = magnitude < 113u << 23 ? subnormal : normal;
    return float16::from_bits(std::uint16_t(sign | (finite < 0x7c00 ? finite : 0x7c00u)));
  }
}

// The exact sum of all before the tile, as high + low + rest:
//   high   a multiple of 2^w1, w1 = top - 52, |high| < 2^top
//   low    a multiple of 2^w2, w2 = w1 - 42, at most about 2^(w1 - 1) between tiles
//   rest   whatever is finer, |rest| < 2^w2; most often zero
// An element splits the same way. As long as it has nothing below 2^w2, the running sums of the
// high parts and of the low parts are exact doubles, and an output is their sum, rounded once. A
// nonzero rest is represented by half a unit of 2^w2: it decides a tie the right way, and cannot do
// more as long as no rounding boundary near the output is finer than 2^w2.
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
    auto const e = extent_of(t);
    int const needed = e.zero ? lowest_top : e.top + tile_bits + 1;
    bool const fits = needed <= top_ && std::fabs(high_) <= power_of_two(top_ - 1);
    if (!fits && !fit(needed, slack)) return false;
    for (bool lowered = false;; lowered = true) {
      if (try_emit(t, out)) return true;
      // A lower window may reach the bits, or the small outputs, that this one does not.
      if (lowered || !fit(needed, 0)) return false;
    }
  }

 private:
  static constexpr int slack = 4;  // room to grow before the next fit
  static constexpr int lowest_top = std::max(-900, format<In>::lowest + 94);
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

  template <class Tile>
  TALLY_CPU_FN bool try_emit(Tile const& t, Out* out) {
    int const n = t.count;
    alignas(64) double high[Tile::size], low[Tile::size];
    if (!split(t, high, low)) return false;
    if (n == Tile::size)
      running_sums(high, low);
    else
      for (int k = 0; k < n; ++k) {
        high[k] += k ? high[k - 1] : high_;
        low[k] += k ? low[k - 1] : low_;
      }
    if (!round_all(high, low, n, out)) return false;
    // The low part has grown by up to 2^9: what it can, it hands up.
    double const up = multiple_of(low[n - 1], anchor(top_ - 52));
    high_ = high[n - 1] + up;
    low_ = low[n - 1] - up;
    return true;
  }

  template <class Tile>
  TALLY_CPU_FN bool split(Tile const& t, double* high, double* low) const {
    double const m1 = anchor(top_ - 52), m2 = anchor(top_ - 94);
    using doubles = vec<double, Tile::vector_bytes / 8>;
    vec<std::uint64_t, Tile::vector_bytes / 8> left = {};
    for_each_double(t, [&](doubles x) __attribute__((always_inline)) {
      doubles const h = (m1 + x) - m1, rest = x - h, l = (m2 + rest) - m2;
      __builtin_memcpy(high, &h, sizeof h);
      __builtin_memcpy(low, &l, sizeof l);
      high += sizeof h / sizeof(double);
      low += sizeof l / sizeof(double);
      left |= cast<decltype(left)>(rest - l) << 1;
    });
    return !any(left);
  }

  // Exact additions regroup freely: eight runs at once, then each run's start is added.
  TALLY_CPU_FN void running_sums(double* high, double* low) const {
    constexpr int runs = 8, length = 512 / runs;
    for (int k = 1; k < length; ++k)
      for (int r = 0; r < runs; ++r) {
        high[r * length + k] += high[r * length + k - 1];
        low[r * length + k] += low[r * length + k - 1];
      }
    double h = high_, l = low_;
    for (int r = 0; r < runs; ++r) {
      double const next_h = h + high[(r + 1) * length - 1], next_l = l + low[(r + 1) * length - 1];
      for (int k = 0; k < length; ++k) {
        high[r * length + k] += h;
        low[r * length + k] += l;
      }
      h = next_h;
      l = next_l;
    }
  }

  TALLY_CPU_FN bool round_all(double const* high, double const* low, int n, Out* out) const {
    double const sticky = sticky_;
    double const least = sticky == 0 ? 0 : power_of_two(top_ - 94 + format<Out>::precision + 2);
    std::uint64_t too_small = 0;
    for (int k = 0; k < n; ++k) {
      double const h = high[k], l = low[k] + sticky;
      double sum = h + l;
      too_small |= std::uint64_t(std::fabs(sum) < least);
      if constexpr (std::is_same_v<Out, double>) {
        out[k] = sum;
      } else {
        // To odd first, so that the second rounding sees what the first one dropped.
        double const back = sum - h;
        double const error = (h - (sum - back)) + (l - back);
        std::uint64_t const bits = std::bit_cast<std::uint64_t>(sum);
        std::uint64_t const toward =
            (bits ^ std::bit_cast<std::uint64_t>(error)) >> 63 ? ~std::uint64_t(0) : 1;
        sum = std::bit_cast<double>(error != 0 && !(bits & 1) ? bits + toward : bits);
        if constexpr (std::is_same_v<Out, float>)
          out[k] = float(sum);
        else
          out[k] = narrow<Out>(sum);
      }
    }
    return !too_small;
  }
};

}  // namespace tally::detail

#pragma GCC diagnostic pop
