// SPDX-License-Identifier: Apache-2.0
#include "tally/io/decimal_products.hpp"

namespace tally::io {

decimal_sum decimal_products::sum() const {
  constexpr auto half = std::uint64_t(1) << 32;
  auto all = others_;
  for (std::size_t scale = 0; scale < low_.size(); ++scale) {
    if (low_[scale] == 0 && high_[scale] == 0) continue;
    decimal_sum here;
    here.add(high_[scale]);
    here.multiply(half), here.multiply(half);
    here.add(low_[scale]);
    here.shift(-std::int64_t(scale));
    all.add(here);
  }
  return all;
}

}  // namespace tally::io
