// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

namespace tally {

// Has the memory about an address brought into L2; a hint, for which no register waits.
__device__ inline void prefetch_to_l2([[maybe_unused]] void const* p) {
#ifdef __CUDA_ARCH__
  asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
#endif
}

}  // namespace tally
