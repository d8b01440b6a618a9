// SPDX-License-Identifier: Apache-2.0
//
// Tiles that wait for tiles before them are drawn, in order: who waits for a tile waits for a block
// that has drawn it already, and runs. So blocks need not be resident together.
#pragma once

#include "tally/device/grid/epoch.cuh"

namespace tally::device {

// The tiles of a block in a launch of some tiles: the numbers that it draws, one after the other,
// until one is not below `tiles`. Every block draws one such number, its last; so the counter says
// when all have drawn theirs, and whoever then leaves puts it back to 0 and ends the epoch. All
// lanes of a warp call each function together.
class tickets {
 public:
  __device__ tickets(workspace const& w, std::uint32_t tiles) : w_(w), tiles_(tiles) {}

  // Draws a tile, and learns the launch's epoch: the counter stands beside it.
  struct ticket {
    std::uint32_t epoch, number;
  };
  __device__ ticket draw() const {
    std::uint64_t found = 0;
    if (threadIdx.x % warp_size == 0) found = advance();
    found = warp::broadcast(found);
    return {std::uint32_t(found) + 1, std::uint32_t(found >> 32)};
  }

  // When the block is done, and the last that it drew. Words of the last epoch may be cleared only
  // when all blocks are done: then each draws once more.
  __device__ void leave(ticket last) const {
    if (threadIdx.x % warp_size != 0) return;
    std::uint32_t end = tiles_ + gridDim.x - 1;
    if (last.epoch == ~std::uint32_t(0)) {
      __threadfence();
      last.number = std::uint32_t(advance() >> 32);
      end += gridDim.x;
    }
    if (last.number == end) end_epoch(w_, last.epoch);
  }

 private:
  workspace w_;
  std::uint32_t tiles_;

  __device__ std::uint64_t advance() const {
    return __nv_atomic_fetch_add(w_.epoch_and_drawn(), std::uint64_t(1) << 32, __NV_ATOMIC_RELAXED,
                                 __NV_THREAD_SCOPE_DEVICE);
  }
};

}  // namespace tally::device
