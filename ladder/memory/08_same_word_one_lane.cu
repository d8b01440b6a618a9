// SPDX-License-Identifier: Apache-2.0
//
// Rung 8: one lane writes the word.
//
// Change:   the lanes add up what they have by shuffles; lane 0 alone adds it to the block's word.
// Predict:  an atomic a warp instead of one a number: bound by reading again.
// Measured: on an H200 9.2 us after 346.
// Bytes:    n numbers.
#include "ladder/memory/memory.cuh"

namespace ladder::memory {

__global__ void same_word_one_lane(int const* in, std::size_t n, long long* out) {
  __shared__ unsigned long long of_block;
  if (threadIdx.x == 0) of_block = 0;
  __syncthreads();
  long long total = 0;
  for (std::size_t i = thread_of_grid(); i < n; i += threads_of_grid()) total += in[i];
  for (int distance = 16; distance > 0; distance /= 2) {
    total += __shfl_down_sync(~0u, total, distance);
  }
  if (threadIdx.x % 32 == 0) atomicAdd(&of_block, static_cast<unsigned long long>(total));
  __syncthreads();
  out[thread_of_grid()] = threadIdx.x == 0 ? static_cast<long long>(of_block) : 0;
}

static registered const here{of_reads(
    {
        .id = "memory/08_same_word_one_lane",
        .title = "All lanes write one word: through one lane",
        .bound = "reading",
        .page = "writes to one bank: undefined",
    },
    [](problem const& p, unsigned block, int const* in, long long* out) {
      tally::launch(same_word_one_lane, p.grid, block, 0, p.stream)(in, p.n, out);
    })};

}  // namespace ladder::memory
