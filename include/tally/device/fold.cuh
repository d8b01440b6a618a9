// SPDX-License-Identifier: Apache-2.0
//
// Folds over a block of whole warps in one dimension, for states of which order leaves no trace.
#pragma once

#include "tally/warp/reduce.cuh"

namespace tally::device {

// Where the warps of a block leave their folds for the first one.
template <class State, int Warps>
struct fold_places {
  static_assert(Warps <= warp_size);
  alignas(16) unsigned char memory[Warps * sizeof(State)];  // in which no constructor has run
  __device__ State& operator[](unsigned i) { return reinterpret_cast<State*>(memory)[i]; }
};

// The fold of the first `count` threads' states, in the first thread; those of the others are the
// identity. fold_warp(state) gives a warp's fold in its first lane. Calls with the same `of_warp`
// need a barrier between.
template <class State, int Warps, class FoldWarp>
__device__ State fold_block(State s, State identity, fold_places<State, Warps>& of_warp,
                            FoldWarp fold_warp, unsigned count = blockDim.x) {
  unsigned const lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
  unsigned const warps = min(count + warp_size - 1, blockDim.x) / warp_size;
  s = fold_warp(s);
  if (warps == 1) return s;
  if (lane == 0) of_warp[warp] = s;
  __syncthreads();
  if (warp == 0) s = fold_warp(lane < warps ? of_warp[lane] : identity);
  return s;
}

}  // namespace tally::device
