// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/exact/fixed_point.hpp"

namespace tally::detail {

// The exact sum of the squares of finite values. NaN and infinities are counted by the sum of the
// values themselves, which stands beside it.
template <element T>
struct exact_squares {
  square_digits<T> finite;

  TALLY_FN void add(T x) {
    if constexpr (floating<T>) {
      if (!is_finite(x)) return;
    }
    auto const p = take_apart(x);
    std::uint64_t const low = p.significand & 0xffffffff, high = p.significand >> 32;
    finite.add(false, low * low, 2 * p.exponent);
    if (high == 0) return;
    finite.add(false, low * high, 2 * p.exponent + 33);
    finite.add(false, high * high, 2 * p.exponent + 64);
  }
};

}  // namespace tally::detail
