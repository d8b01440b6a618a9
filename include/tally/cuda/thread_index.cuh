// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

namespace tally {

inline constexpr int warp_size = 32;

// The calling thread's place in its block of any shape: x counts fastest, then y, then z. Warps are
// cut from this order.
__device__ inline int thread_index() {
  return int(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));
}

__device__ inline int thread_count() { return int(blockDim.x * blockDim.y * blockDim.z); }

}  // namespace tally
