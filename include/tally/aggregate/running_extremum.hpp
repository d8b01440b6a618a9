// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "tally/aggregate/aggregate.hpp"
#include "tally/exact/order_key.hpp"

namespace tally {

// What a scan of minima or maxima keeps: the element itself, so that its bits come through. The
// first NaN stays.
template <element T, bool Least>
struct running_extremum {
  using element = T;
  using state = T;
  using result = T;
  static constexpr bool any_order = true;
  static constexpr char const* name = Least ? "minimum" : "maximum";

  T identity() const {
    if constexpr (floating<T>)
      return infinity<T>(!Least);
    else
      return Least ? std::numeric_limits<T>::max() : std::numeric_limits<T>::lowest();
  }
  TALLY_FN T lift(T x, std::uint64_t) const { return x; }
  TALLY_FN T combine(T left, T right) const {
    if (is_nan(left)) return left;
    if (is_nan(right)) return right;
    bool const keep =
        Least ? order_key(left) <= order_key(right) : order_key(left) >= order_key(right);
    return keep ? left : right;
  }
  TALLY_FN T lower(T x) const { return x; }
  T start(T init) const { return init; }
};

}  // namespace tally
