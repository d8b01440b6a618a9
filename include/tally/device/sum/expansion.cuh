// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/device/sum/shared_digits.cuh"

namespace tally::device {

// a + b = sum + error, exactly (Knuth).
__device__ inline double two_sum(double a, double b, double& error) {
  double const sum = a + b, part = sum - a;
  error = (a - (sum - part)) + (b - part);
  return sum;
}

// A thread's exact sum of doubles: some of them, and digits that the block shares for what does not
// fit.
template <int Parts>
class expansion {
 public:
  // The first parts are for values that are likely to be large, and are passed over by others.
  template <int Part = 0, class Digits>
  __device__ void put(double x, Digits& digits) {
    double error;
    part_[Part] = two_sum(part_[Part], x, error);
    if (error == 0) return;
    if constexpr (Part + 1 < Parts)
      put<Part + 1>(error, digits);
    else
      digits.add(error);
  }
  // By whole warps.
  template <class Digits>
  __device__ void close(Digits& digits) const {
    digits.add_warp(part_);
  }

 private:
  double part_[Parts] = {};
};

}  // namespace tally::device
