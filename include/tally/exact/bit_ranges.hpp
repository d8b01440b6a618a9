// SPDX-License-Identifier: Apache-2.0
//
// Which bit patterns rank at least so high, as two ranges: a comparison without making keys.
#pragma once

#include "tally/exact/rank_order.hpp"

namespace tally {

// Patterns from `first` on, and `more` after it; past the largest they go on at 0.
template <class Bits>
struct bit_range {
  Bits first, more;

  TALLY_FN bool has(Bits x) const { return Bits(x - first) <= more; }
};

// Two ranges, which may be the same.
template <class Bits>
struct bit_ranges {
  bit_range<Bits> a, b;

  TALLY_FN bool has(Bits x) const {
    if constexpr (sizeof(Bits) == 1) return a.has(x);  // no float is so short: they are the same
    return a.has(x) | b.has(x);
  }

  // Those whose key is at least `least`, which is above 0 where an order skips NaN, and never
  // above order.best().
  TALLY_FN static bit_ranges at_least(rank_order<Bits> const& order, Bits least) {
    constexpr Bits all = Bits(~Bits(0));
    if (least == 0) return one({0, all});
    if (order.sign == 0)
      return one({Bits((order.flip & 1 ? all : least) ^ order.flip), Bits(~least)});
    return order.flip & 1 ? of_smallest(order, least) : of_largest(order, least);
  }

 private:
  TALLY_FN static bit_ranges one(bit_range<Bits> only) { return {only, only}; }

  // Negative numbers whose magnitudes are from `low` to `high`, or positive ones.
  TALLY_FN static bit_range<Bits> magnitudes(Bits sign, Bits low, Bits high) {
    return {Bits(sign | low), Bits(high - low)};
  }

  // Numbers from `least` to infinity, and NaNs of both signs, unless they are skipped.
  TALLY_FN static bit_ranges of_largest(rank_order<Bits> const& order, Bits least) {
    Bits const number = Bits(Bits(least - order.shift) - order.sign);  // a negative: -magnitude
    Bits const top = order.skips ? order.infinity : Bits(order.sign - 1);
    Bits const nan = Bits(order.sign | Bits(order.infinity + 1));
    Bits const nans = Bits(Bits(~Bits(0)) - nan);
    if (number & order.sign) {
      auto const negative = magnitudes(order.sign, 0, up_to_infinity(order, Bits(~number) + 1));
      if (order.skips) return {{0, top}, negative};
      return {{nan, Bits(nans + 1 + top)}, negative};
    }
    if (number > order.infinity) return {magnitudes(0, Bits(order.infinity + 1), top), {nan, nans}};
    auto const positive = magnitudes(0, number, top);
    if (order.skips) return number == 0 ? bit_ranges{positive, {order.sign, 0}} : one(positive);
    if (number == 0) return {{nan, Bits(nans + 1 + top)}, {order.sign, 0}};
    return {positive, {nan, nans}};
  }

  // Numbers from minus infinity to one.
  TALLY_FN static bit_ranges of_smallest(rank_order<Bits> const& order, Bits least) {
    Bits const number = Bits(Bits(~least) - order.sign);
    if (number & order.sign)
      return one(magnitudes(order.sign, up_to_infinity(order, Bits(~number) + 1), order.infinity));
    return {magnitudes(order.sign, 0, order.infinity), {0, up_to_infinity(order, number)}};
  }

  TALLY_FN static Bits up_to_infinity(rank_order<Bits> const& order, std::uint64_t magnitude) {
    return magnitude < order.infinity ? Bits(magnitude) : order.infinity;
  }
};

}  // namespace tally
