// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "tally/io/decimal_sum.hpp"

namespace tally::io {

// The exact sum of products of two numbers in decimal, up to 2^62 of them.
class decimal_products {
 public:
  // a * b * 10^-scale, where the scale is that of both together.
  void add(bool negative, std::uint64_t a, std::uint64_t b, unsigned scale) {
    auto const product = static_cast<unsigned __int128>(a) * b;
    __int128 const low = std::uint64_t(product), high = std::uint64_t(product >> 64);
    low_[scale] += negative ? -low : low, high_[scale] += negative ? -high : high;
  }
  void add(decimal_sum const& product) { others_.add(product); }

  decimal_sum sum() const;

 private:
  // By scale: high * 2^64 + low.
  std::array<__int128, 2 * decimal_sum::most_scale + 1> low_{}, high_{};
  decimal_sum others_;
};

}  // namespace tally::io
