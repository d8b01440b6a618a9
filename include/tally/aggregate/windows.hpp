// SPDX-License-Identifier: Apache-2.0
//
// Exact sums of a tile, fast. Each function below either adds a whole tile to a fixed-point number
// without losing a bit, or sees that it cannot and changes nothing. None depends on order, so lanes
// and instruction sets are free; the last resort, one element at a time, is in sum.hpp.
#pragma once

#include <cmath>

#include "tally/aggregate/aggregate.hpp"
#include "tally/aggregate/fixed_point.hpp"

namespace tally::detail {

// x as a double, exact for finite x, in code that vectorises.
TALLY_FN double widen(double x) { return x; }
TALLY_FN double widen(float x) { return x; }
TALLY_FN double widen(bfloat16 x) {
  return std::bit_cast<float>(std::uint32_t(x.bits) << 16);
}
TALLY_FN double widen(float16 x) {
  // The fraction and exponent land in a float's; 2^112 is the difference of the two biases.
  float const magnitude = std::bit_cast<float>(std::uint32_t(x.bits & 0x7fff) << 13) * 0x1p112f;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(magnitude) |
                              std::uint32_t(x.bits & 0x8000) << 16);
}

TALLY_FN double power_of_two(int exponent) {  // for a normal result
  return std::bit_cast<double>(std::uint64_t(1023 + exponent) << 52);
}

template <class Tile>
TALLY_FN auto live_or_zero(Tile const& t, int k) {
  auto const x = t[k];
  if constexpr (Tile::skips)
    return t.live(k) ? x : decltype(x){};
  else
    return x;
}

inline constexpr int window_lanes = 16;
inline constexpr int tile_bits = 9;  // a tile has at most 2^9 elements

// float, bfloat16: while all elements lie within 53 - 9 binades of each other's last bits, plain
// double additions are exact. float16 always does.
template <class Tile, class Digits>
TALLY_FN bool add_window(Tile const& t, Digits& into) {
  using T = std::remove_cvref_t<decltype(t[0])>;
  using f = format<T>;
  std::uint32_t largest[window_lanes] = {}, smallest[window_lanes];
  double sum[window_lanes] = {};
  for (auto& s : smallest) s = ~std::uint32_t(0);
  auto const add = [&](int k, int lane) __attribute__((always_inline)) {
    T const x = live_or_zero(t, k);
    std::uint32_t const magnitude = std::uint32_t(to_bits(x)) & (f::sign - 1u);
    std::uint32_t const zero_is_large = magnitude - 1;
    largest[lane] = magnitude > largest[lane] ? magnitude : largest[lane];
    smallest[lane] = zero_is_large < smallest[lane] ? zero_is_large : smallest[lane];
    sum[lane] += widen(x);
  };
  int const whole = t.count() / window_lanes * window_lanes;
  for (int k = 0; k < whole; k += window_lanes)
    for (int lane = 0; lane < window_lanes; ++lane) add(k + lane, lane);
  for (int k = whole; k < t.count(); ++k) add(k, k - whole);

  std::uint32_t high = 0, low = ~std::uint32_t(0);
  for (int lane = 0; lane < window_lanes; ++lane) {
    high = std::max(high, largest[lane]);
    low = std::min(low, smallest[lane]);
  }
  if (high == 0) return true;
  int const top = int(high >> (f::precision - 1));
  int const bottom = std::max(int(low >> (f::precision - 1)), 1);
  if (top == f::max_field || tile_bits + (top + 1 - bottom) + (f::precision - 1) > 53) return false;
  double total = 0;
  for (double const s : sum) total += s;
  into.add(total);
  return true;
}

// float, bfloat16, any finite values: 16 bins of 16 binades each, 16 + 24 + 9 bits wide.
template <class Tile, class Digits>
TALLY_FN bool add_bins(Tile const& t, Digits& into) {
  using T = std::remove_cvref_t<decltype(t[0])>;
  using f = format<T>;
  double bin[2][16] = {};
  bool finite = true;
  for (int k = 0; k < t.count(); ++k) {
    T const x = live_or_zero(t, k);
    finite = finite && is_finite(x);
    bin[k % 2][(to_bits(x) >> (f::precision + 3)) & 15] += widen(x);
  }
  if (!finite) return false;
  for (int i = 0; i < 16; ++i) into.add(bin[0][i] + bin[1][i]);
  return true;
}

// Doubles: folds. Adding x to 1.5 * 2^(52 + w) cuts x at 2^w: the sum keeps the part above without
// error, and the part below goes on to the next fold. All is exact if nothing is left after the last.
// (Ogita, Rump and Oishi's extraction; each fold takes 43 bits or, for two values an element, 42.)
//
// get(k, values) gives the element's values, all below 2^top.
template <int Folds, int Values, class Tile, class Get, class Digits>
TALLY_FN bool add_folds(Tile const& t, int top, Get&& get, Digits& into) {
  constexpr int bits = tile_bits + Values - 1;
  if (top > 1000 || top < -700) return false;
  double anchor[Folds], sum[Folds][window_lanes];
  std::uint64_t rest[window_lanes] = {};
  for (int fold = 0, w = top + bits - 51; fold < Folds; ++fold, w += bits - 52) {
    anchor[fold] = 1.5 * power_of_two(52 + w);
    for (double& s : sum[fold]) s = anchor[fold];
  }
  auto const add = [&](int k, int lane) __attribute__((always_inline)) {
    double value[Values];
    get(k, value);
    for (double x : value) {
      for (int fold = 0; fold < Folds; ++fold) {
        double const next = sum[fold][lane] + x;
        x -= next - sum[fold][lane];
        sum[fold][lane] = next;
      }
      rest[lane] |= std::bit_cast<std::uint64_t>(x) << 1;
    }
  };
  int const whole = t.count() / window_lanes * window_lanes;
  for (int k = 0; k < whole; k += window_lanes)
    for (int lane = 0; lane < window_lanes; ++lane) add(k + lane, lane);
  for (int k = whole; k < t.count(); ++k) add(k, k - whole);

  std::uint64_t left = 0;
  for (std::uint64_t const r : rest) left |= r;
  if (left) return false;
  for (int fold = 0; fold < Folds; ++fold) {
    double total = 0;
    for (double const s : sum[fold]) total += s - anchor[fold];
    into.add(total);
  }
  return true;
}

// The least `top` with every |x| of the tile below 2^top, and whether the nonzero ones are at least
// 2^least. A NaN among them is not seen here; it leaves a rest behind in every fold.
struct extent {
  int top;
  bool zero, above_least;
};
template <class Tile>
TALLY_FN extent extent_of(Tile const& t, double least) {
  double largest[window_lanes] = {};
  std::uint64_t small[window_lanes] = {};
  auto const look = [&](int k, int lane) __attribute__((always_inline)) {
    double const x = std::fabs(widen(live_or_zero(t, k)));
    largest[lane] = x > largest[lane] ? x : largest[lane];
    small[lane] |= std::uint64_t(x < least && x != 0);
  };
  int const whole = t.count() / window_lanes * window_lanes;
  for (int k = 0; k < whole; k += window_lanes)
    for (int lane = 0; lane < window_lanes; ++lane) look(k + lane, lane);
  for (int k = whole; k < t.count(); ++k) look(k, k - whole);

  double high = 0;
  std::uint64_t any_small = 0;
  for (int lane = 0; lane < window_lanes; ++lane) {
    high = largest[lane] > high ? largest[lane] : high;
    any_small |= small[lane];
  }
  return {int(std::bit_cast<std::uint64_t>(high) >> 52) - 1022, high == 0, !any_small};
}

}  // namespace tally::detail
