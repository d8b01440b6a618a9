// SPDX-License-Identifier: Apache-2.0
//
// Rung 2: one barrier a level.
//
// Change:   half of the barriers. In a level the lower half reads the upper half and its own
//           places, and writes its own: no place that one thread reads is written by another.
// Predict:  a little faster: blocks are as many and as short as before.
// Measured: on an H200 56 us after 62.
// Bytes:    n elements read; an atomic a block on one address.
#include "ladder/top_k/maximum.cuh"

namespace ladder::top_k {

static __global__ void one_barrier_a_level(int const* in, std::size_t n, ranking rank, int* best) {
  int* const shared = tally::dynamic_shared<int>();
  unsigned const t = threadIdx.x;
  shared[t] = greatest_of_thread(in, n, rank);
  __syncthreads();
  for (unsigned width = blockDim.x; width > 1; width = (width + 1) / 2) {
    unsigned const half = (width + 1) / 2;
    if (t + half < width) shared[t] = greater(shared[t], shared[t + half]);
    __syncthreads();
  }
  if (t == 0) atomicMax(best, shared[0]);
}

static registered const here{maximum_rung(
    {
        .id = "top-k/02_one_barrier",
        .title = "The maximum: one barrier a level",
        .bound = "k = 1; 8 barriers for an element a thread",
    },
    one_barrier_a_level)};

}  // namespace ladder::top_k
