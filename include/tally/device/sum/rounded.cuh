// SPDX-License-Identifier: Apache-2.0
//
// Doubles, and sums of two, rounded once to a narrower type. What is cut off first leaves its trace
// in the last bit (S. Boldo and G. Melquiond, "Emulation of FMA and correctly rounded sums: proved
// algorithms using rounding to odd", IEEE Transactions on Computers 57, 2008).
#pragma once

#include <cuda_runtime.h>

#include "tally/exact/double_double.hpp"

namespace tally::device {

// x, a sum of elements In or an end of it, rounded once. +0 for zeros of either sign.
template <floating Out, floating In>
__device__ Out rounded(double x) {
  if constexpr (std::is_same_v<Out, double>) {
    return x;
  } else if constexpr (std::is_same_v<Out, float>) {
    return __double2float_rn(x);
  } else {
    std::uint32_t odd;
    if constexpr (sizeof(In) == 2) {
      // 21 bits and the trace of others make a float: what has more is a normal one, because the
      // elements are multiples of 2^-133.
      int const rest = int(min(unsigned(__double2loint(x)), 1u));
      odd = to_bits(__double2float_rn(__hiloint2double(__double2hiint(x) | rest, 0)));
    } else {
      float const towards_zero = __double2float_rz(x);
      odd = to_bits(towards_zero) | std::uint32_t(double(towards_zero) != x);
    }
    if constexpr (std::is_same_v<Out, bfloat16>)
      return from_bits<bfloat16>(std::uint16_t((odd + 0x7fff + (odd >> 16 & 1)) >> 16));
    else
      return detail::to_float16(from_bits<float>(odd));
  }
}

// x + y, rounded once.
template <floating Out, floating In>
__device__ Out rounded_pair(double x, double y) {
  if constexpr (std::is_same_v<Out, double>) {
    return x + y;
  } else {
    auto const [sum, rest] = detail::two_sum(x, y);
    auto bits = to_bits(sum);
    if (rest != 0 && bits % 2 == 0) bits += (rest < 0) == (sum < 0) ? 1 : -1;
    return rounded<Out, In>(from_bits<double>(bits));
  }
}

}  // namespace tally::device
