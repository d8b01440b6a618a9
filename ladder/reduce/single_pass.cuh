// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ladder/reduce/reduce.cuh"

// Rung 7's single pass, for any way to add up a block.
namespace ladder::reduce {

// Reduces `in` to `out`. block_total(x) gives thread 0 the total of the block's x; there is a
// barrier between its two calls.
template <class Op, class BlockTotal>
__device__ void single_pass(typename Op::element const* in, std::size_t n, workspace<Op> scratch,
                            typename Op::result* out, Op op, BlockTotal block_total) {
  auto total = block_total(every_nth(in, n, thread_of_grid(), threads_of_grid(), op));

  __shared__ bool last;
  if (threadIdx.x == 0) {
    scratch.partials[blockIdx.x] = total;
    // Releases this block's partial, and acquires those of the blocks that counted before.
    unsigned const before =
        __nv_atomic_fetch_add(scratch.done, 1u, __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_DEVICE);
    last = before + 1 == gridDim.x;
  }
  __syncthreads();
  if (!last) return;

  std::size_t const blocks = gridDim.x;
  total = block_total(every_nth(scratch.partials, blocks, threadIdx.x, blockDim.x, op));
  if (threadIdx.x == 0) {
    *out = op.finish(total);
    *scratch.done = 0;  // for the next call on this workspace
  }
}

}  // namespace ladder::reduce
