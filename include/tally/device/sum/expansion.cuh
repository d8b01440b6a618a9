// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/device/sum/block_superaccumulator.cuh"
#include "tally/exact/double_double.hpp"

namespace tally::device {

// A thread's exact sum of doubles: an expansion of some that do not overlap (J. R. Shewchuk,
// "Adaptive precision floating-point arithmetic and fast robust geometric predicates", Discrete &
// Computational Geometry 18, 1997), and the block's digits for what does not fit. Each addition is
// a TwoSum.
template <int Components>
class expansion {
 public:
  // The first components are for values that are likely to be large, and are passed over by others.
  template <int Component = 0, class Digits>
  __device__ void put(double x, Digits& digits) {
    auto const sum = detail::two_sum(component_[Component], x);
    component_[Component] = sum.high;
    if (sum.low == 0) return;
    if constexpr (Component + 1 < Components)
      put<Component + 1>(sum.low, digits);
    else
      digits.add(sum.low);
  }
  // Adds the components to the digits; for whole warps.
  template <class Digits>
  __device__ void close(Digits& digits) const {
    digits.add_warp(component_);
  }

 private:
  double component_[Components] = {};
};

}  // namespace tally::device
