// SPDX-License-Identifier: Apache-2.0
//
// Rung 2: two passes, a contiguous chunk a thread.
//
// Change:   every thread reduces a chunk, thread 0 its block's threads; a second launch of one
//           block reduces the blocks. Nothing else can make a block wait for all the others.
// Predict:  the whole chip works: hundreds of times rung 1. But neighbouring lanes read a chunk
//           apart, so that each load of a warp touches 32 sectors for 32 elements; caches have to
//           save it.
// Measured: on an H200 5,800 times rung 1, which is slower than predicted. With 4 elements a chunk
//           is 16 bytes, so a load touches 16 sectors; at 2^28 elements 9,100 times, an element.
// Bytes:    n elements read, a state a block written and read; up to 8 times n through the L1.
#include "ladder/reduce/reduce.cuh"

namespace ladder::reduce {

template <class Op, class In>
__global__ void chunks(In const* in, std::size_t n, typename Op::result* out, Op op) {
  std::size_t const chunk = (n + threads_of_grid() - 1) / threads_of_grid();
  std::size_t const begin = thread_of_grid() * chunk;
  typename Op::state total = op.identity();
  for (std::size_t i = begin; i < begin + chunk && i < n; ++i) total = op(total, in[i]);

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
        .id = "reduce/02_two_passes",
        .title = "Two passes, a contiguous chunk a thread",
        .bound = "uncoalesced loads, then thread 0 alone",
        .page = "TwoPassSimpleKernel",
        .page_us = 92,
        .grid = 1024,
        .block = 1024,
    },
    [](problem const& p, auto op) { two_passes(p, p.block, op, chunks, chunks); })};

}  // namespace ladder::reduce
