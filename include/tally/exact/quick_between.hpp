// SPDX-License-Identifier: Apache-2.0
//
// What lies between two elements of a sorted array, as between() has it, in pairs of doubles: the
// quick phase of a rounding test (double_double.hpp), for GPUs, where the long one takes a thread
// thousands of instructions.
#pragma once

#include "tally/exact/between.hpp"
#include "tally/exact/double_double.hpp"

namespace tally::detail {

// The part of a place that is behind its index, with an error of less than 2^-99 of it.
struct place_share {
  double_double value;
  bool is_exact;  // value.high is all of it
};
// False if it is too small for that.
TALLY_HD inline bool share_behind(sorted_place const& at, place_share& out) {
  if (at.scale > 900) return false;
  auto const low = double_double_of(std::uint64_t(at.fraction));
  if (at.denominator != 1) {
    out = {low / double_double_of(at.denominator), false};
    return true;
  }
  auto const high = double_double_of(std::uint64_t(at.fraction >> 64));
  auto sum = two_sum(0x1p64 * high.high, low.high);
  sum = fast_two_sum(sum.high, sum.low + (0x1p64 * high.low + low.low));
  double const unit = from_bits<double>(std::uint64_t(1023 - at.scale) << 52);
  out = {{sum.high * unit, sum.low * unit}, high.high == 0 && sum.low == 0};
  return true;
}

// Rounds what is at most `error` off high + low, of which high is the nearest double; of narrower
// results, midpoints are told by the sign of the rest. False if that does not decide.
template <floating R>
TALLY_HD bool round_pair(double_double value, double error, R& out) {
  if (error == 0 && value.low == 0) return round_near(value.high, false, 0, out);
  if constexpr (format<R>::precision < format<double>::precision) {
    double const least = value.low - 2 * error, most = value.low + 2 * error;
    if (value.high != 0 && least * most > 0) {
      // The neighbour on that side whose last bit is 1 stands for all that is between the two.
      auto bits = to_bits(value.high);
      if (bits % 2 == 0) bits += (least > 0) == (value.high > 0) ? 1 : std::uint64_t(-1);
      return round_near(from_bits<double>(bits), false, 0, out);
    }
  } else if (error == 0) {
    return round_near(value.high, true, 0, out);
  }
  return error != 0 && round_within(value, error, 0, out);
}

// Rounds the point between a and b that a place says, for a <= b. False if that does not decide:
// near a midpoint of results, beyond or below what pairs of doubles have, and for zero.
template <floating R, element T>
TALLY_HD bool quick_between(T a, T b, sorted_place const& at, R& out) {
  static_assert(integer<T> || std::is_same_v<R, T>);
  if constexpr (floating<T>)
    if (!is_finite(a) || !is_finite(b)) return false;
  if (!at.is_between() || to_bits(a) == to_bits(b)) {
    if constexpr (integer<T>)
      out = R(a);
    else
      out = double(a) == 0 ? R{} : a;
    return true;
  }
  if constexpr (integer<T> && sizeof(T) == 8) {
    return false;
  } else {
    double const x = double(a), y = double(b), size = std::fabs(x) + std::fabs(y);
    place_share share;
    if (!(size > 0x1p-900 && size < 0x1p1000) || !share_behind(at, share)) return false;
    if (share.is_exact && share.value.high == 0.5) return round_pair(two_sum(x / 2, y / 2), 0, out);
    auto const width = two_sum(y, -x);
    if (share.is_exact && width.low == 0) {
      double const high = rounded_product(width.high, share.value.high);
      double const low = std::fma(width.high, share.value.high, -high);
      // (The error of a tiny product may be too small for a double.)
      if (low == 0 && std::fabs(high) > 0x1p-900) return round_pair(two_sum(x, high), 0, out);
    }
    auto const less = share.value * double_double{-width.high, -width.low};
    return round_pair(double_double{x, 0} - less, 0x1p-97 * size, out);
  }
}

}  // namespace tally::detail
