// SPDX-License-Identifier: Apache-2.0
//
// Rung 5: the last warp without block barriers.
//
// Change:   the steps from 64 totals on are taken by the first warp, which waits only for itself.
//           Since Volta the lanes of a warp run on their own: `volatile` orders nothing between
//           them, __syncwarp does.
// Predict:  6 block barriers fewer of 11, and the other warps are gone: a little.
// Measured: on an H200 15.1 us after 17.1.
// Bytes:    n elements read, a state a block written and read.
#include "ladder/reduce/reduce.cuh"

namespace ladder::reduce {

template <class Op, class In>
__global__ void last_warp(In const* in, std::size_t n, typename Op::result* out, Op op) {
  auto* const shared = tally::dynamic_shared<typename Op::state>();
  unsigned const t = threadIdx.x;
  shared[t] = every_nth(in, n, thread_of_grid(), threads_of_grid(), op);
  __syncthreads();

  unsigned width = blockDim.x;
  for (; width > 64; width = (width + 1) / 2) {
    unsigned const half = (width + 1) / 2;
    if (t + half < width) shared[t] = op(shared[t], shared[t + half]);
    __syncthreads();
  }
  if (t >= 32) return;
  for (; width > 1; width = (width + 1) / 2) {
    unsigned const half = (width + 1) / 2;
    if (t + half < width) shared[t] = op(shared[t], shared[t + half]);
    __syncwarp();
  }
  if (t == 0) out[blockIdx.x] = op.finish(shared[0]);
}

static registered const here{reduction(
    {
        .id = "reduce/05_last_warp",
        .title = "The last warp without block barriers",
        .bound = "reading, then 5 block barriers",
        .page = "TwoPassWarpSyncKernel",
        .page_us = 40,
        .grid = 1024,
        .block = 1024,
    },
    [](problem const& p, auto op) {
      two_passes(p, whole_warps(p.block), op, last_warp, last_warp);
    })};

}  // namespace ladder::reduce
