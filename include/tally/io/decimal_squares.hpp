// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "tally/io/decimal_sum.hpp"

namespace tally::io {

// The exact sum of squares of numbers in decimal, up to 2^63 of them.
class decimal_squares {
 public:
  // As decimal_sum::add.
  void add(std::uint64_t magnitude, unsigned scale) {
    auto const square = wide(magnitude) * magnitude;
    low_[scale] += std::uint64_t(square), high_[scale] += square >> 64;
  }
  void add_square_of(decimal_sum const& x) { others_.add(x.square()); }

  decimal_sum sum() const;

 private:
  using wide = unsigned __int128;

  // By scale: high * 2^64 + low.
  std::array<wide, decimal_sum::most_scale + 1> low_{}, high_{};
  decimal_sum others_;
};

}  // namespace tally::io
