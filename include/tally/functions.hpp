// SPDX-License-Identifier: Apache-2.0
//
// Functions of one element, for transform(). They give the element's own type, as NumPy's do.
#pragma once

#include "tally/operators.hpp"
#include "tally/rounding.hpp"

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
  // Which nvcc does not fuse with an addition that follows.
  static TALLY_FN float rounded_square(float x) {
#ifdef __CUDA_ARCH__
    return __fmul_rn(x, x);
#else
    return x * x;
#endif
  }
  static TALLY_FN double rounded_square(double x) {
#ifdef __CUDA_ARCH__
    return __dmul_rn(x, x);
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
      using in = typename detail::wrapping<T>::type;
      in const all_ones_if_negative = in(x >> (8 * sizeof(T) - 1));
      return T((in(x) ^ all_ones_if_negative) - all_ones_if_negative);
    } else {
      return x;
    }
  }
};

}  // namespace tally
