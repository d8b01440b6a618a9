// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/cpu/tile/conversions.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tally::detail {

// Where the tile's values lie: all below 2^top, `zero` if there are no others. A NaN is not seen.
struct extent {
  int top;
  bool zero;
};
template <class Tile>
TALLY_CPU_FN extent extent_of(Tile const& t) {
  constexpr int lanes = Tile::vector_bytes / 8;
  using doubles = vec<double, lanes>;
  doubles largest = {};
  for_each_double(t, [&](doubles x) __attribute__((always_inline)) {
    doubles const magnitude =
        cast<doubles>(cast<vec<std::uint64_t, lanes>>(x) & ~format<double>::sign);
    largest = max_of(magnitude, largest);
  });
  double const high = fold_lanes(largest, [](auto a, auto b) { return a > b ? a : b; });
  bool const finite = !is_one_of<typename Tile::element, float16> || high < 0x1p16;
  int const field =
      finite ? int(std::bit_cast<std::uint64_t>(high) >> 52) : format<double>::max_field;
  return {field - 1022, high == 0};
}

}  // namespace tally::detail

#pragma GCC diagnostic pop
