// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/device/sum/block_superaccumulator.cuh"
#include "tally/exact/double_double.hpp"

namespace tally::device {

// A thread's exact sum of doubles, as a sum of some of them that do not overlap (Shewchuk's
// expansion), and digits that the block shares for what does not fit.
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
  // By whole warps.
  template <class Digits>
  __device__ void close(Digits& digits) const {
    digits.add_warp(component_);
  }

 private:
  double component_[Components] = {};
};

}  // namespace tally::device
