// SPDX-License-Identifier: Apache-2.0
//
// Rounds doubles that are close to exact values to a narrower type, and tells whether the exact
// values round to the same: unless a double is so close to the midpoint of two results that the
// exact value may lie beyond it. (A. Ziv's test, "Fast evaluation of elementary mathematical
// functions with correctly rounded last bit", ACM TOMS 17(3), 1991.)
#pragma once

#include <algorithm>
#include <limits>

#include "tally/cpu/tile/simd.hpp"
#include "tally/exact/float_format.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tally::detail {

// Narrows vectors of doubles to floats, which finish() turns into results. Each double is within
// `tolerance` units in its last place of the exact value; a tolerance of 0 says that it is the
// exact value, or rounds as that does. What is smaller than `least` in magnitude is undecided; if
// there is a tolerance, `least` must be above the subnormals of Out.
template <floating Out, int Lanes>
class ziv_rounding {
  using doubles = vec<double, Lanes>;
  using bits = vec<std::int64_t, Lanes>;
  using float_bits = vec<std::uint32_t, Lanes>;

 public:
  using floats = vec<float, Lanes>;

  TALLY_CPU_FN ziv_rounding(int tolerance, double least)
      : tolerance_(tolerance),
        least_(float_bits_of(is_half_range ? std::max(least, 0x1p-126) : least)),
        distance_(bits{} + mask),
        smallest_(float_bits{} - 1) {}

  TALLY_CPU_FN floats operator()(doubles x) {
    auto const b = cast<bits>(x);
    distance_ = min_of(distance_, (b + (half + tolerance_)) & mask);
    floats f;
    if constexpr (std::is_same_v<Out, float>) {
      f = __builtin_convertvector(x, floats);
    } else {
      // This is rounding to odd (Boldo and Melquiond, 2008): the last bit kept is 1 if any bit
      // dropped was, and the second rounding, in finish(), sees that.
      constexpr std::int64_t below = (std::int64_t(1) << 29) - 1;
      f = __builtin_convertvector(cast<doubles>((b | ((b & below) + below)) & ~below), floats);
    }
    auto const magnitude = cast<float_bits>(f) & 0x7fffffff;
    // Without a tolerance a zero is decided, though in this range it is smaller than `least`.
    smallest_ = min_of(smallest_, is_half_range ? magnitude - (tolerance_ == 0) : magnitude);
    return f;
  }
  // Whether all results so far are those of the exact values.
  TALLY_CPU_FN bool decided() const {
    return !any(distance_ < 2 * tolerance_) && !any(smallest_ < least_ - (is_half_range ? 1 : 0));
  }

  static TALLY_CPU_FN auto finish(floats f) {
    if constexpr (std::is_same_v<Out, float>) {
      return f;
    } else {
      auto const b = cast<float_bits>(f);
      float_bits const sign = b >> 31 << 15, magnitude = b & 0x7fffffff;
      float_bits out;
      if constexpr (!is_one_of<Out, float16>) {
        out = (magnitude + 0x7fff + (magnitude >> 16 & 1)) >> 16;
      } else {
        float_bits const rebased = magnitude - (112u << 23);
        float_bits const normal = (rebased + 0xfff + (rebased >> 13 & 1)) >> 13;
        // A subnormal is rounded where it is added to one half, whose last bit is worth 2^-24.
        auto const shifted = cast<floats>(magnitude) + 0.5f;
        float_bits const subnormal = cast<float_bits>(shifted) - 0x3f000000;
        float_bits const finite = magnitude < 113u << 23 ? subnormal : normal;
        out = finite < 0x7c00 ? finite : 0 * finite + 0x7c00;
      }
      return __builtin_convertvector(out | sign, vec<std::uint16_t, Lanes>);
    }
  }

 private:
  // A bfloat16 is made of a double that was cut off to a float, which has to be a normal one.
  static constexpr bool is_half_range = is_one_of<Out, bfloat16>;
  static constexpr int dropped = 53 - format<Out>::precision;
  static constexpr std::int64_t mask = (std::int64_t(1) << dropped) - 1;
  static constexpr std::int64_t half = std::int64_t(1) << (dropped - 1);

  // The bits of the float `least`. If that is beyond floats, bits that no float reaches, not even
  // an infinite one, which may stand for less.
  static std::uint32_t float_bits_of(double least) {
    return least < 0x1p128 ? std::bit_cast<std::uint32_t>(float(least)) : 0x7f800002;
  }

  std::int64_t tolerance_;
  std::uint32_t least_;
  bits distance_;
  float_bits smallest_;
};

}  // namespace tally::detail

#pragma GCC diagnostic pop
