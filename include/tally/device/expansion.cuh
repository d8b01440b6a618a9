// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/device/shared_digits.cuh"

namespace tally::device {

// a + b = sum + error, exactly (Knuth).
__device__ inline double two_sum(double a, double b, double& error) {
  double const sum = a + b, part = sum - a;
  error = (a - (sum - part)) + (b - part);
  return sum;
}

// A thread's exact sum of doubles: two of them, and digits that the block shares for what does not
// fit.
class expansion {
 public:
  template <class Digits>
  __device__ void put(double x, Digits& digits) {
    double error;
    sum_ = two_sum(sum_, x, error);
    if (error != 0) put_rest(error, digits);
  }
  // The same for a value that is likely to be small.
  template <class Digits>
  __device__ void put_rest(double x, Digits& digits) {
    double error;
    rest_ = two_sum(rest_, x, error);
    if (error != 0) digits.add(error);
  }
  // By whole warps.
  template <class Digits>
  __device__ void close(Digits& digits) const {
    digits.add_warp(sum_);
    digits.add_warp(rest_);
  }

 private:
  double sum_ = 0, rest_ = 0;
};

}  // namespace tally::device
