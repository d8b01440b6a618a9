// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/aggregate/folds.hpp"

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

  // Adds a tile, or returns false.
  template <class Tile>
  TALLY_CPU_FN bool add_fast(Tile const& t) {
    if constexpr (integer<T>) {
      return add_integers(t);
    } else if constexpr (std::is_same_v<T, double>) {
#if defined(TALLY_NO_CONTRACTION) || !defined(__FMA__)
      // The long dependent chains run twice as fast on 32-byte vectors as on 64-byte ones (on Zen
      // 4).
      constexpr int width = std::min(Tile::vector_bytes, 32);
      tile<T, Tile::skips ? skip : propagate, width, Tile::size> const narrow{t.data, t.count,
                                                                              t.first};
      auto const e = extent_of(narrow, 0x1p-450);
      return e.zero || (e.above && add_folds<4, 2>(narrow, 2 * e.top, square_and_error{}, finite));
#else
      return false;  // the caller's compiler may fuse what must stay apart
#endif
    } else {
      auto const e = extent_of(t);
      return e.zero || add_folds<2, 1>(t, 2 * e.top, square{}, finite);
    }
  }

  // The squares as sums of doubles: how many, each in one of `out`; 0 if they cannot be.
  template <class Tile>
  static TALLY_CPU_FN int in_doubles(Tile const& t, double (&out)[2][Tile::size]) {
    if constexpr (integer<T>) {
      return 0;
    } else if constexpr (std::is_same_v<T, double>) {
#if defined(TALLY_NO_CONTRACTION) || !defined(__FMA__)
      std::uint64_t outside = 0;
      for (int k = 0; k < t.count; ++k) {
        double const x = t.live(k) ? t.data[k] : 0, size = x < 0 ? -x : x;
        outside |= x != 0 && !(size >= 0x1p-480 && size < 0x1p500);
        out[0][k] = x * x;
        out[1][k] = __builtin_fma(x, x, -out[0][k]);
      }
      return outside ? 0 : 2;
#else
      return 0;
#endif
    } else {
      int k = 0;
      for_each_double(t, [&](auto x) __attribute__((always_inline)) {
        auto const square = x * x;
        __builtin_memcpy(out[0] + k, &square, sizeof square);
        k += int(sizeof x / sizeof x[0]);
      });
      return 1;
    }
  }

 private:
  struct square {  // of at most 24 bits: exact
    template <class V>
    TALLY_CPU_FN void operator()(V x, V (&value)[1]) const {
      value[0] = x * x;
    }
  };
  struct square_and_error {  // x * x = value[0] + value[1]
    template <class V>
    TALLY_CPU_FN void operator()(V x, V (&value)[2]) const {
      constexpr unsigned lanes = sizeof x / sizeof x[0];
      value[0] = x * x;
      double factor[lanes], error[lanes];  // there is no operator for a fused vector operation
      __builtin_memcpy(factor, &x, sizeof x);
      __builtin_memcpy(error, &value[0], sizeof x);
      for (unsigned i = 0; i < lanes; ++i)
        error[i] = __builtin_fma(factor[i], factor[i], -error[i]);
      __builtin_memcpy(&value[1], error, sizeof x);
    }
  };

  // The halves of the squares are summed apart.
  template <class Tile>
  TALLY_CPU_FN bool add_integers(Tile const& t) {
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
      return true;
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
      return true;
    }
  }
};

}  // namespace tally::detail
