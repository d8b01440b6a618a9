// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/aggregate/fixed_point.hpp"
#include "tally/aggregate/tile.hpp"

namespace tally::detail {

// The squares of the finite values, for which the sum beside it keeps NaN and infinities.
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

  // A tile of integers: the halves of their squares are summed apart.
  template <class Tile>
  TALLY_CPU_FN void add_integers(Tile const& t) {
    if constexpr (sizeof(T) > 4) {
      unsigned __int128 low = 0, high = 0;  // of the squares' two halves
      for (int k = 0; k < t.count; ++k) {
        std::uint64_t const x = take_apart(t[k]).significand;
        auto const square = static_cast<unsigned __int128>(x) * x;
        low += std::uint64_t(square);
        high += std::uint64_t(square >> 64);
      }
      finite.add(false, std::uint64_t(low), 0);
      finite.add(false, std::uint64_t(low >> 64), 64);
      finite.add(false, std::uint64_t(high), 64);
      finite.add(false, std::uint64_t(high >> 64), 128);
    } else {
      std::uint64_t low[lanes] = {}, high[lanes] = {};
      auto const add = [&](int k, int lane) __attribute__((always_inline)) {
        std::int64_t const x = std::int64_t(t[k]);
        std::uint64_t const square = std::uint64_t(x) * std::uint64_t(x);
        low[lane] += square & 0xffffffff;
        high[lane] += square >> 32;
      };
      int const whole = t.count / lanes * lanes;
      for (int k = 0; k < whole; k += lanes)
        for (int lane = 0; lane < lanes; ++lane) add(k + lane, lane);
      for (int k = whole; k < t.count; ++k) add(k, k - whole);
      std::uint64_t l = 0, h = 0;
      for (int lane = 0; lane < lanes; ++lane) l += low[lane], h += high[lane];
      finite.add(false, l, 0);
      finite.add(false, h, 32);
    }
  }
};

}  // namespace tally::detail
