// SPDX-License-Identifier: Apache-2.0
//
// Doubles cut into limbs: multiples of powers of two, few enough bits each that their sums are
// exact (S. M. Rump, T. Ogita and S. Oishi, "Accurate floating-point summation part I: faithful
// rounding", SIAM Journal on Scientific Computing 31, 2008: extraction by a sigma).
#pragma once

#include <cuda_runtime.h>

#include "tally/types.hpp"

namespace tally::device {

// The multiples of 2^unit. Values below 2^(unit + 51) are brought to them by an addition.
class grid_of_multiples {
 public:
  static constexpr int lowest = -1074, highest = 971, bits = 51;
  __device__ explicit grid_of_multiples(int unit)
      : sigma_(from_bits<double>(std::uint64_t(1023 + 52 + unit) << 52 | std::uint64_t(1) << 51)) {}

  // The nearest multiple; what is left is exact.
  __device__ double nearest(double x) const { return __dsub_rn(__dadd_rn(x, sigma_), sigma_); }
  // The next multiple below, or x.
  __device__ double below(double x) const { return __dsub_rn(__dadd_rd(x, sigma_), sigma_); }

 private:
  double sigma_;
};

// x * 2^e, where that is a double.
__device__ inline double scaled(double x, int e) {
  auto const power = [](int i) { return from_bits<double>(std::uint64_t(1023 + i) << 52); };
  int const half = e / 2;
  return x * power(half) * power(e - half);
}

}  // namespace tally::device
