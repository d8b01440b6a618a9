// SPDX-License-Identifier: Apache-2.0
//
// Tiles that wait for tiles before them are drawn, in order: who waits for a tile waits for a block
// that has drawn it already, and runs. So blocks need not be resident together.
#pragma once

#include "tally/device/grid/epoch.cuh"

namespace tally::device {

// The tiles of a block in a launch of some tiles: the numbers that it draws, until one is not below
// `tiles`. Every block draws one such number, its last; so the counter says when all have drawn
// theirs, and whoever then leaves puts it back to 0 and ends the epoch. All threads of a block call
// each function together.
class tickets {
 public:
  __device__ tickets(workspace const& w, std::uint32_t tiles) : w_(w), tiles_(tiles) {}

  // Draws the first tile, and learns the launch's epoch.
  __device__ std::uint32_t first() {
    __shared__ std::uint32_t known[2];
    if (threadIdx.x == 0) {
      known[1] = __nv_atomic_load_n(w_.epoch(), __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE) + 1;
      __threadfence();  // before it may be ended
      known[0] = last_ = draw();
    }
    __syncthreads();
    epoch_ = known[1];
    return known[0];
  }
  // Draws the next one: ask() early, next() when it is wanted.
  __device__ void ask() {
    if (threadIdx.x == 0) last_ = draw();
  }
  __device__ std::uint32_t next() {
    __shared__ std::uint32_t drawn[2];  // in turn: past a barrier, all have read the one before
    turn_ ^= 1;
    if (threadIdx.x == 0) drawn[turn_] = last_;
    __syncthreads();
    return drawn[turn_];
  }
  __device__ std::uint32_t epoch() const { return epoch_; }

  // When the block is done. Words of the last epoch may be cleared only when all blocks are: then
  // each draws once more.
  __device__ void leave() {
    if (threadIdx.x != 0) return;
    std::uint32_t end = tiles_ + gridDim.x - 1;
    if (epoch_ == ~std::uint32_t(0)) {
      __threadfence();
      last_ = draw();
      end += gridDim.x;
    }
    if (last_ == end) end_epoch(w_, epoch_);
  }

 private:
  workspace w_;
  std::uint32_t tiles_, last_ = 0, epoch_ = 0;
  int turn_ = 0;

  __device__ std::uint32_t draw() const {
    return __nv_atomic_fetch_add(w_.drawn(), 1u, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  }
};

}  // namespace tally::device
