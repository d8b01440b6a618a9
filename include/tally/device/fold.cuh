// SPDX-License-Identifier: Apache-2.0
//
// Folds over a block of whole warps in one dimension, for states of which order leaves no trace.
#pragma once

#include "tally/warp/reduce.cuh"

namespace tally::device {

// The fold of all threads' states, in the first thread, by fold_warp(state), which gives a warp's
// in its first lane.
template <class State, class FoldWarp>
__device__ State fold_block(State s, State identity, FoldWarp fold_warp) {
  alignas(16) __shared__ unsigned char memory[warp_size * sizeof(State)];
  auto* const partials = reinterpret_cast<State*>(memory);
  unsigned const lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
  unsigned const warps = blockDim.x / warp_size;
  s = fold_warp(s);
  if (warps == 1) return s;
  __syncthreads();  // the partials of the fold before have been read
  if (lane == 0) partials[warp] = s;
  __syncthreads();
  if (warp == 0) s = fold_warp(lane < warps ? partials[lane] : identity);
  return s;
}

// Of {best, at}: the best, and the least `at` of those that have it.
template <class Operator, class State>
__device__ State fold_best(State const& s) {
  auto const best = warp::detail::redux_of(s.best, Operator{});
  return {best, warp::detail::redux_of(s.best == best ? s.at : ~decltype(s.at){0}, smaller{})};
}

}  // namespace tally::device
