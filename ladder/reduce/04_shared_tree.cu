// SPDX-License-Identifier: Apache-2.0
//
// Rung 4: a tree in shared memory.
//
// Change:   the upper half of the block's totals is folded onto the lower half, until one is left.
//           A width that is odd leaves its middle alone for a step, so any block size will do.
// Predict:  10 steps instead of 1023. Neighbouring lanes read neighbouring words: no bank
//           conflicts. Each step ends in a barrier of the whole block, also when a few lanes are
//           left.
// Measured: on an H200 17.1 us after 27.8.
// Bytes:    n elements read, a state a block written and read.
#include "ladder/reduce/reduce.cuh"

namespace ladder::reduce {

template <class Op, class In>
__global__ void shared_tree(In const* in, std::size_t n, typename Op::result* out, Op op) {
  auto* const shared = tally::dynamic_shared<typename Op::state>();
  unsigned const t = threadIdx.x;
  shared[t] = every_nth(in, n, thread_of_grid(), threads_of_grid(), op);
  __syncthreads();
  for (unsigned width = blockDim.x; width > 1; width = (width + 1) / 2) {
    unsigned const half = (width + 1) / 2;
    if (t + half < width) shared[t] = op(shared[t], shared[t + half]);
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = op.finish(shared[0]);
}

static registered const here{reduction(
    {
        .id = "reduce/04_shared_tree",
        .title = "A tree in shared memory",
        .bound = "reading, then 10 block barriers",
        .page = "TwoPassSharedOptimizedKernel",
        .page_us = 46,
        .grid = 1024,
        .block = 1024,
    },
    [](problem const& p, auto op) { two_passes(p, p.block, op, shared_tree, shared_tree); })};

}  // namespace ladder::reduce
