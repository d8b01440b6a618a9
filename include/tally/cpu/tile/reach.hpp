// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>

#include "tally/exact/float_format.hpp"

namespace tally::detail {

inline constexpr int tile_bits = 9;  // the smallest tile has at most 2^9 elements
template <class Tile>
inline constexpr int bits_of_count = std::bit_width(unsigned(Tile::size) - 1);

// Where the elements of a tile lie: all below 2^top, all multiples of 2^lowest; `zero` if there are
// no others.
struct reach {
  int top, lowest;
  bool zero, finite;

  constexpr int bits() const { return top - lowest; }
};

// From the bits of the largest magnitude, and those of the smallest but zero less one.
template <floating T>
TALLY_CPU_FN reach reach_of(bits_of<T> most, bits_of<T> least) {
  using f = format<T>;
  constexpr int fraction = f::precision - 1;
  int const high = int(most >> fraction);
  int const low = std::clamp(int(least >> fraction), 1, f::max_field - 1);
  return {std::max(high, 1) - (f::bias - 1), low - f::bias - fraction,
          least == bits_of<T>(~bits_of<T>(0)), high < f::max_field};
}

}  // namespace tally::detail
