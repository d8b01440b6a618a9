// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

namespace tally {

// Of two numbers of 16 bits at once: what is less of x + offset and `least`.
__device__ inline unsigned least_halves(unsigned x, unsigned offset, unsigned least) {
#ifdef __CUDA_ARCH__
  return __viaddmin_u16x2(x, offset, least);
#else
  unsigned const low = (x + offset) & 0xffff, high = ((x >> 16) + (offset >> 16)) & 0xffff;
  unsigned const a = least & 0xffff, b = least >> 16;
  return (low < a ? low : a) | (high < b ? high : b) << 16;
#endif
}

}  // namespace tally
