// SPDX-License-Identifier: Apache-2.0
//
// Instructions for integers that a compiler does not choose by itself.
#pragma once

#include <cuda_runtime.h>

namespace tally {

// x with its last bit set if y is not zero.
__device__ inline int with_trace_of(int x, int y) {
#ifdef __CUDA_ARCH__
  int trace;
  asm("min.u32 %0, %1, 1;" : "=r"(trace) : "r"(y));
  return x | trace;
#else
  return x | int(y != 0);
#endif
}

// 2^i for i below 32, and else 0.
__device__ inline unsigned power_or_zero(unsigned i) {
#ifdef __CUDA_ARCH__
  unsigned power;
  asm("shl.b32 %0, 1, %1;" : "=r"(power) : "r"(i));
  return power;
#else
  return i < 32 ? 1u << i : 0;
#endif
}

}  // namespace tally
