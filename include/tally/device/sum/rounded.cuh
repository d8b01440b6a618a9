// SPDX-License-Identifier: Apache-2.0
//
// Doubles, and sums of two, rounded once to a narrower type. What is cut off first leaves its trace
// in the last bit (S. Boldo and G. Melquiond, "Emulation of FMA and correctly rounded sums: proved
// algorithms using rounding to odd", IEEE Transactions on Computers 57, 2008).
#pragma once

#include <cuda_runtime.h>

#include "tally/cuda/halves.cuh"
#include "tally/cuda/integers.cuh"
#include "tally/exact/double_double.hpp"

namespace tally::device {

// x, a sum of elements In or an end of it, by rounding to odd: narrower results come from it by
// rounding to nearest.
template <floating In>
__device__ float rounded_to_odd(double x) {
  if constexpr (sizeof(In) == 2) {
    // 21 bits, of which the last has a trace of the others, and some of these make a float: what
    // has more than 21 is a normal one, because the elements are multiples of 2^-133.
    int const low = __double2loint(x);
    return __double2float_rz(__hiloint2double(with_trace_of(__double2hiint(x), low), low));
  } else {
    float const towards_zero = __double2float_rz(x);
    return from_bits<float>(to_bits(towards_zero) | std::uint32_t(double(towards_zero) != x));
  }
}

// The same, rounded once.
template <floating Out, floating In>
__device__ Out rounded(double x) {
  if constexpr (std::is_same_v<Out, double>)
    return x;
  else if constexpr (std::is_same_v<Out, float>)
    return __double2float_rn(x);
  else
    return half_of<Out>(halves_of<Out>(rounded_to_odd<In>(x), 0), 0);
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
