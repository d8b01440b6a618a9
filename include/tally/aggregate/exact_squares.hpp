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
    } else {  // the squares of a tile's 16-bit integers, too, by halves fit 32 bits
      using word = std::conditional_t<sizeof(T) == 4, std::uint64_t, std::uint32_t>;
      using value = std::conditional_t<std::is_signed_v<T>, std::make_signed_t<word>, word>;
      constexpr int half = 4 * sizeof(word);
      word low[lanes] = {}, high[lanes] = {};
      for_each_lane(t, [&](int k, int lane) __attribute__((always_inline)) {
        word const x = word(value(t[k])), square = x * x;
        low[lane] += sizeof(T) == 1 ? square : square & (word(-1) >> half);
        high[lane] += sizeof(T) == 1 ? 0 : square >> half;
      });
      std::uint64_t l = 0, h = 0;
      for (int lane = 0; lane < lanes; ++lane) l += low[lane], h += high[lane];
      finite.add(false, l, 0);
      finite.add(false, h, half);
    }
  }
};

}  // namespace tally::detail
