// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ladder/squares/squares.cuh"

namespace ladder::squares {

// Rung 5's adder tree: the sum of the x of a block of any size, in thread 0 only. `shared` has room
// for a sum a thread.
template <class Sum>
__device__ Sum tree_total(Sum x, Sum* shared) {
  unsigned const t = threadIdx.x;
  shared[t] = x;
  __syncthreads();
  for (unsigned width = blockDim.x; width > 1; width = (width + 1) / 2) {
    unsigned const half = (width + 1) / 2;
    if (t + half < width) shared[t] = add(shared[t], shared[t + half]);
    __syncthreads();
  }
  return shared[0];
}

}  // namespace ladder::squares
