// SPDX-License-Identifier: Apache-2.0
#include "tally/io/decimal_squares.hpp"

namespace tally::io {

decimal_sum decimal_squares::sum() const {
  constexpr auto half = std::uint64_t(1) << 32;
  auto all = others_;
  for (std::size_t scale = 0; scale < low_.size(); ++scale) {
    if (low_[scale] == 0 && high_[scale] == 0) continue;
    decimal_sum here;
    here.add(__int128(high_[scale]));
    here.multiply(half), here.multiply(half);
    here.add(__int128(low_[scale]));
    here.shift(-2 * std::int64_t(scale));
    all.add(here);
  }
  return all;
}

}  // namespace tally::io
