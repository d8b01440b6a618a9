// SPDX-License-Identifier: Apache-2.0
//
// Functions of one element, for transform(). They give the element's own type, as NumPy's do.
#pragma once

#include <cmath>

#include "tally/exact/float_format.hpp"
#include "tally/operators.hpp"

namespace tally {

// x * x: integers wrap around; floating point is rounded once.
struct square {
  template <element T>
  TALLY_FN T operator()(T x) const {
    if constexpr (floating<T> && sizeof(T) == 2) {
      double const exact = double(x);
      return convert<T>(exact * exact);  // of at most 22 bits
    } else if constexpr (floating<T>) {
      return rounded_square(x);
    } else {
      return multiplies{}(x, x);
    }
  }

 private:
  template <floating T>
  static TALLY_FN T rounded_square(T x) {
#ifdef __CUDA_ARCH__
    return std::fma(x, x, T(-0.0));  // which nvcc does not fuse with an addition that follows
#else
    return x * x;
#endif
  }
};

// |x|. The lowest signed integer, whose absolute value its type lacks, stays as it is (wraps
// around). Of floating point the sign bit is cleared, a NaN's too.
struct absolute {
  template <element T>
  TALLY_FN T operator()(T x) const {
    if constexpr (floating<T>) {
      return from_bits<T>(bits_of<T>(to_bits(x) & ~format<T>::sign));
    } else if constexpr (std::is_signed_v<T>) {
#ifdef __CUDA_ARCH__
      // Of 16 bits ptxas (CUDA 13.0) makes an absolute value of 32 of what is here else, and leaves
      // the lowest one positive when it is then widened.
      if constexpr (sizeof(T) == 2) {
        int magnitude;
        asm("abs.s32 %0, %1;" : "=r"(magnitude) : "r"(int(x)));
        return T(magnitude);
      }
#endif
      using in = typename detail::wrapping<T>::type;
      in const all_ones_if_negative = in(x >> (8 * sizeof(T) - 1));
      return T((in(x) ^ all_ones_if_negative) - all_ones_if_negative);
    } else {
      return x;
    }
  }
};

}  // namespace tally
