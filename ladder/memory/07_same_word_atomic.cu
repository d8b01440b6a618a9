// SPDX-License-Identifier: Apache-2.0
//
// Rung 7: all lanes write the same word, with atomics.
//
// Change:   every lane adds each of its numbers to one word of its block. Plain writes would leave
//           the value of one of the lanes, undefined which: that is a race, not an addition.
// Predict:  none is lost, but they are done one after the other: one atomic a number.
// Measured: on an H200 346 us, 38 times rung 8: 32 atomics of a warp on one word are done one after
//           the other.
// Bytes:    n numbers.
#include "ladder/memory/memory.cuh"

namespace ladder::memory {

__global__ void same_word_atomic(int const* in, std::size_t n, long long* out) {
  __shared__ unsigned long long of_block;
  if (threadIdx.x == 0) of_block = 0;
  __syncthreads();
  for (std::size_t i = thread_of_grid(); i < n; i += threads_of_grid()) {
    atomicAdd(&of_block, static_cast<unsigned long long>(in[i]));
  }
  __syncthreads();
  out[thread_of_grid()] = threadIdx.x == 0 ? static_cast<long long>(of_block) : 0;
}

static registered const here{of_reads(
    {
        .id = "memory/07_same_word_atomic",
        .title = "All lanes write one word: atomics",
        .bound = "atomics, one after the other",
        .page = "writes to one bank: undefined",
    },
    [](problem const& p, unsigned block, int const* in, long long* out) {
      tally::launch(same_word_atomic, p.grid, block, 0, p.stream)(in, p.n, out);
    })};

}  // namespace ladder::memory
