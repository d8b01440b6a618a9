// SPDX-License-Identifier: Apache-2.0
//
// Rung 1: the maximum, a thread an element.
//
// Change:   nothing yet, and k = 1. A tree in shared memory, then one atomic a block. Two barriers
//           a level: all have read before any writes, and all have written before any reads.
// Predict:  the blocks that an SM runs at once hide each other's barriers. But each of the 39063
//           blocks reads only 1 KB before its 8 levels, so that few bytes are in flight: longer
//           than one read of 40 MB.
// Measured: on an H200 62 us, 0.17 of the ceiling.
// Bytes:    n elements read; an atomic a block on one address.
//
// The page asks why there are two barriers. With the tree that folds the upper half onto the lower,
// what a thread reads nobody else writes in that level: rung 2 has one.
#include "ladder/top_k/maximum.cuh"

namespace ladder::top_k {

static __global__ void two_barriers_a_level(int const* in, std::size_t n, ranking rank, int* best) {
  int* const shared = tally::dynamic_shared<int>();
  unsigned const t = threadIdx.x;
  shared[t] = greatest_of_thread(in, n, rank);
  __syncthreads();
  for (unsigned width = blockDim.x; width > 1; width = (width + 1) / 2) {
    unsigned const half = (width + 1) / 2;
    int const both = t + half < width ? greater(shared[t], shared[t + half]) : shared[t];
    __syncthreads();
    shared[t] = both;
    __syncthreads();
  }
  if (t == 0) atomicMax(best, shared[0]);
}

static registered const here{maximum_rung(
    {
        .id = "top-k/01_maximum",
        .title = "The maximum: a tree with two barriers a level, an atomic a block",
        .bound = "k = 1; 16 barriers for an element a thread",
        .page = "stage A: maximum",
    },
    two_barriers_a_level)};

}  // namespace ladder::top_k
