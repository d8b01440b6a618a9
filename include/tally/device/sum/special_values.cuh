// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include "tally/exact/float_format.hpp"

namespace tally::device {

// Which values were there that are not finite.
struct special_values {
  static constexpr unsigned nan = 1, positive_infinity = 2, negative_infinity = 4;

  template <floating T>
  static __device__ unsigned of(T x) {
    return is_finite(x)                          ? 0
           : is_nan(x)                           ? nan
           : (to_bits(x) & format<T>::sign) != 0 ? negative_infinity
                                                 : positive_infinity;
  }
  // The sum where some were there.
  template <floating R>
  static __device__ R sum(unsigned seen) {
    unsigned const both = positive_infinity | negative_infinity;
    if (seen & nan || (seen & both) == both) return quiet_nan<R>();
    return infinity<R>((seen & negative_infinity) != 0);
  }
};

}  // namespace tally::device
