// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ladder/scan/scan.cuh"
#include "tally/warp/shuffle.cuh"

// Scans of a block's threads, each of which brings a state: rungs 11 to 13. All threads of a block
// of whole warps call these together.
namespace ladder::scan {

// Rung 3 in the registers of a warp: no barriers, and nothing to overwrite too early.
template <class Op>
__device__ typename Op::state inclusive_in_warp(typename Op::state x, Op op) {
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    auto const left = tally::warp::shift_up(x, int(distance));
    if (threadIdx.x % 32 >= distance) x = op(left, x);
  }
  return x;
}

// What the threads up to the calling one bring. `of_warps` holds 32 states in shared memory: after
// the call, what all warps up to each bring.
template <class Op>
__device__ typename Op::state inclusive_in_block(typename Op::state x, typename Op::state* of_warps,
                                                 Op op) {
  unsigned const warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  x = inclusive_in_warp(x, op);
  if (lane == 31) of_warps[warp] = x;
  __syncthreads();
  if (warp == 0) {
    auto const one = lane < blockDim.x / 32 ? of_warps[lane] : op.identity();
    auto const up_to_it = inclusive_in_warp(one, op);
    of_warps[lane] = up_to_it;
  }
  __syncthreads();
  return warp ? op(of_warps[warp - 1], x) : x;
}

// What the threads before the calling one bring, the identity for the first; `all` takes what all
// bring. There is a barrier between two calls.
template <class Op>
__device__ typename Op::state exclusive_in_block(typename Op::state x, typename Op::state& all,
                                                 Op op) {
  __shared__ typename Op::state of_warps[32];
  unsigned const warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  auto const through = inclusive_in_block(x, of_warps, op);
  auto before = tally::warp::shift_up(through);
  if (lane == 0) before = warp ? of_warps[warp - 1] : op.identity();
  all = of_warps[31];
  return before;
}

}  // namespace ladder::scan
