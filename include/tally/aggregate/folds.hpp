// SPDX-License-Identifier: Apache-2.0
//
// Exact sums of a tile of doubles that are too far apart for windows.hpp.
#pragma once

#include "tally/aggregate/windows.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tally::detail {

// Where the tile's values lie: all below 2^top, `zero` if there are no others, `above` if none but
// zeros is below `least`. A NaN is not seen here; it leaves a rest behind in every fold.
struct extent {
  int top;
  bool zero, above;
};
template <class Tile>
TALLY_CPU_FN extent extent_of(Tile const& t, double least = 0) {
  constexpr int lanes = Tile::vector_bytes / 8;
  using doubles = vec<double, lanes>;
  doubles largest = {};
  vec<std::int64_t, lanes> small = {};
  for_each_double(t, [&](doubles x) __attribute__((always_inline)) {
    doubles const magnitude =
        cast<doubles>(cast<vec<std::uint64_t, lanes>>(x) & ~format<double>::sign);
    largest = max_of(magnitude, largest);
    if (least > 0) small |= (magnitude < least) & (magnitude != 0);
  });
  double const high = fold_lanes(largest, [](auto a, auto b) { return a > b ? a : b; });
  bool const finite = !is_one_of<typename Tile::element, float16> || high < 0x1p16;
  int const field =
      finite ? int(std::bit_cast<std::uint64_t>(high) >> 52) : format<double>::max_field;
  return {field - 1022, high == 0, !any(small)};
}

// Any elements that are not too far apart: folds. Adding x to 1.5 * 2^(52 + w) cuts x at 2^w: the
// sum keeps the part above without error, and the part below goes on to the next fold. All is exact
// if nothing is left after the last. (Extraction as in Rump, Ogita and Oishi, "Accurate
// floating-point summation"; each fold takes 43 bits or, for two values an element, 42.)
//
// get(x, values) turns a vector of elements into the values to add, all below 2^top.
template <int Folds, int Values, class Tile, class Get, class Digits>
TALLY_CPU_FN bool add_folds(Tile const& t, int top, Get&& get, Digits& into) {
  constexpr int bits = bits_of_count<Tile> + Values - 1;
  constexpr int lanes = Tile::vector_bytes / 8;
  using doubles = vec<double, lanes>;
  if (top > 1000 || top < -700) return false;
  double anchor[Folds];
  doubles sum[Folds];
  vec<std::uint64_t, lanes> rest = {};
  for (int fold = 0, w = top + bits - 51; fold < Folds; ++fold, w += bits - 52) {
    anchor[fold] = 1.5 * power_of_two(52 + w);
    sum[fold] = anchor[fold] + doubles{};
  }
  for_each_double(t, [&](doubles element) __attribute__((always_inline)) {
    doubles values[Values];
    get(element, values);
    for (doubles& s : sum)
      for (doubles& x : values) {
        doubles const next = s + x;
        x -= next - s;
        s = next;
      }
    for (doubles const& x : values) rest |= cast<decltype(rest)>(x) << 1;
  });
  if (any(rest)) return false;
  for (int fold = 0; fold < Folds; ++fold) into.add(sum_of_lanes(sum[fold] - anchor[fold]));
  return true;
}

}  // namespace tally::detail

#pragma GCC diagnostic pop
