// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "ladder/reduce/reduce.cuh"

// Rung 6's part in shared memory, as a function for other kernels.
namespace ladder::reduce {

// A tree in shared memory, from every thread's x down to the totals of the first 64 threads, or of
// all if there are no more; it ends behind a barrier.
template <unsigned block, class Op>
__device__ void fold_to_two_warps(typename Op::state x, typename Op::state* shared, Op op) {
  unsigned const t = threadIdx.x;
  shared[t] = x;
  __syncthreads();
#pragma unroll
  for (unsigned half = block / 2; half > 32; half /= 2) {
    if (t < half) shared[t] = op(shared[t], shared[t + half]);
    __syncthreads();
  }
}

// The total of the x of a block of `block` threads, a power of two of at least 32, in thread 0
// only. `shared` has room for a state a thread, and must be left alone until the next barrier.
template <unsigned block, class Op>
__device__ typename Op::state unrolled_total(typename Op::state x, typename Op::state* shared,
                                             Op op) {
  unsigned const t = threadIdx.x;
  fold_to_two_warps<block>(x, shared, op);
  if (t < 32) {
#pragma unroll
    for (unsigned half = block > 32 ? 32 : 16; half > 0; half /= 2) {
      if (t < half) shared[t] = op(shared[t], shared[t + half]);
      __syncwarp();
    }
  }
  return t == 0 ? shared[0] : x;  // the other warps may be here before it is written
}

// Calls run(constant), the constant being the least of 32, 64, ... 1024 that is at least `block`.
template <class Run>
void with_block_size(unsigned block, Run run) {
  if (block <= 32) return run(std::integral_constant<unsigned, 32>{});
  if (block <= 64) return run(std::integral_constant<unsigned, 64>{});
  if (block <= 128) return run(std::integral_constant<unsigned, 128>{});
  if (block <= 256) return run(std::integral_constant<unsigned, 256>{});
  if (block <= 512) return run(std::integral_constant<unsigned, 512>{});
  return run(std::integral_constant<unsigned, 1024>{});
}

}  // namespace ladder::reduce
