// SPDX-License-Identifier: Apache-2.0
//
// Rung 3: interleaved.
//
// Change:   the threads take turns: at each step a warp reads 32 neighbours.
// Predict:  4 sectors a load of a warp instead of up to 32. What is left of the time beyond reading
//           is thread 0, which walks through its block's 1024 totals while the others wait.
// Measured: on an H200 no gain at 4,194,304 elements, 27.8 us after 26.0: with rung 2's chunks of
//           16 bytes the four loads of a warp meet the same cache lines. At 2^28 elements 2.5 times
//           as fast.
// Bytes:    n elements read, a state a block written and read.
#include "ladder/reduce/reduce.cuh"

namespace ladder::reduce {

template <class Op, class In>
__global__ void interleaved(In const* in, std::size_t n, typename Op::result* out, Op op) {
  typename Op::state total = op.identity();
  for (std::size_t i = thread_of_grid(); i < n; i += threads_of_grid()) total = op(total, in[i]);

  auto* const shared = tally::dynamic_shared<typename Op::state>();
  shared[threadIdx.x] = total;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (unsigned t = 1; t < blockDim.x; ++t) total = op(total, shared[t]);
    out[blockIdx.x] = op.finish(total);
  }
}

static registered const here{reduction(
    {
        .id = "reduce/03_interleaved",
        .title = "Interleaved: a warp reads neighbours",
        .bound = "thread 0 alone in each block",
        .page = "TwoPassInterleavedKernel",
        .page_us = 78,
        .grid = 1024,
        .block = 1024,
    },
    [](problem const& p, auto op) { two_passes(p, p.block, op, interleaved, interleaved); })};

}  // namespace ladder::reduce
