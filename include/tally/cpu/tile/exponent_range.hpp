// SPDX-License-Identifier: Apache-2.0
//
// The exponent range of a tile: between which powers of two its elements lie. With their number it
// says how many bits their sums may have.
#pragma once

#include <algorithm>
#include <bit>

#include "tally/cpu/tile/conversions.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tally::detail {

inline constexpr int tile_bits = 9;  // the smallest tile has at most 2^9 elements
template <class Tile>
inline constexpr int bits_of_count = std::bit_width(unsigned(Tile::size) - 1);

// All elements are below 2^top in magnitude and multiples of 2^lowest. If `zero`, all are zeros;
// unless `finite`, some are infinite or NaN.
struct exponent_range {
  int top, lowest;
  bool zero, finite;

  constexpr int bits() const { return top - lowest; }
};

// The range of elements of which `most` is the largest magnitude, as bits, and `least` is one less
// than the smallest one but zero.
template <floating T>
TALLY_CPU_FN exponent_range exponent_range_of(bits_of<T> most, bits_of<T> least) {
  using f = format<T>;
  constexpr int fraction = f::precision - 1;
  int const high = int(most >> fraction);
  int const low = std::clamp(int(least >> fraction), 1, f::max_field - 1);
  return {std::max(high, 1) - (f::bias - 1), low - f::bias - fraction,
          least == bits_of<T>(~bits_of<T>(0)), high < f::max_field};
}

// The range of elements of type In that were read as floats, made of the extremes of every lane.
template <floating In, class Bits>
TALLY_CPU_FN exponent_range exponent_range_of_lanes(Bits largest, Bits smallest) {
  auto const high = greatest_lane(largest);
  auto const low = least_lane(smallest);
  int const field = std::clamp(int(low >> 23), seen_as<In>::min_normal, 254);
  return {std::max(int(high >> 23), 1) - 126, field - 127 - (format<In>::precision - 1), high == 0,
          int(high >> 23) < seen_as<In>::not_finite};
}

// The upper end alone, which takes one comparison an element less.
struct exponent_top {
  int top;
  bool zero;
};

// The upper end of a tile's range; NaNs are not seen.
template <class Tile>
TALLY_CPU_FN exponent_top exponent_top_of(Tile const& t) {
  constexpr int lanes = Tile::vector_bytes / 8;
  using doubles = vec<double, lanes>;
  doubles largest = {};
  for_each_double(t, [&](doubles x) __attribute__((always_inline)) {
    doubles const magnitude =
        cast<doubles>(cast<vec<std::uint64_t, lanes>>(x) & ~format<double>::sign);
    largest = max_of(magnitude, largest);
  });
  double const high = greatest_lane(largest);
  bool const finite = !is_one_of<typename Tile::element, float16> || high < 0x1p16;
  int const field =
      finite ? int(std::bit_cast<std::uint64_t>(high) >> 52) : format<double>::max_field;
  return {field - 1022, high == 0};
}

}  // namespace tally::detail

#pragma GCC diagnostic pop
