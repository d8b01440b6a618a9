// SPDX-License-Identifier: Apache-2.0
//
// Tiles that wait for tiles before them are drawn, in order: who waits for a tile waits for a block
// that has drawn it already, and runs. So blocks need not be resident together.
#pragma once

#include "tally/device/grid/epoch.cuh"

namespace tally::device {

// Numbers that the blocks of a launch draw, from 0 on, of their tiles or of themselves. All lanes
// of a warp call each function together.
class tickets {
 public:
  __device__ explicit tickets(workspace const& w) : w_(w) {}

  // With a number comes the launch's epoch: the counter stands beside it.
  struct ticket {
    std::uint32_t epoch, number;
  };
  // The next one, on its way: the warp goes on until it takes it.
  struct asked {
    std::uint64_t found;  // in the first lane
    __device__ ticket take() const {
      auto const counter = warp::broadcast(found);
      return {std::uint32_t(counter) + 1, std::uint32_t(counter >> 32)};
    }
  };
  __device__ asked ask() const {
    std::uint64_t found = 0;
    if (threadIdx.x % warp_size == 0)
      found = __nv_atomic_fetch_add(w_.epoch_and_drawn(), std::uint64_t(1) << 32,
                                    __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    return {found};
  }

  // By one warp of each block, when the block draws no more, and has seen all that it will see of
  // what others publish. The last one puts the counter back to 0 and ends the epoch.
  __device__ void leave(std::uint32_t epoch) const {
    if (threadIdx.x % warp_size != 0) return;
    if (epoch == ~std::uint32_t(0)) __threadfence();  // words will be cleared
    auto const before =
        __nv_atomic_fetch_add(w_.left(), 1u, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    if (before != gridDim.x * gridDim.y - 1) return;
    if (epoch == ~std::uint32_t(0)) __threadfence();
    __nv_atomic_store_n(w_.left(), 0u, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    end_epoch(w_, epoch);
  }

 private:
  workspace w_;
};

}  // namespace tally::device
