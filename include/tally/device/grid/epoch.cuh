// SPDX-License-Identifier: Apache-2.0
//
// The number of a launch, which tells what it published from what earlier ones did, so that nothing
// has to be cleared between them. It is in global memory, so that a captured launch may be
// replayed; who has seen what every other block published ends a launch by advancing it: in a
// reduction the first block.
#pragma once

#include "tally/device/grid/status_word.cuh"
#include "tally/warp/shuffle.cuh"

namespace tally::device {

// A launch's epoch: never 0, which is that of words not yet written. It takes a third of a
// microsecond to come: a warp asks for it when its first elements are on their way, and takes it
// when they are added up. (The shuffle has the compiler not take it before.)
class epoch_to_come {
 public:
  __device__ void ask(workspace const& w) {
    last_ = __nv_atomic_load_n(w.epoch(), __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  }
  __device__ std::uint32_t take() const { return warp::broadcast(last_) + 1; }

 private:
  std::uint32_t last_ = 0;
};

// Ends a launch: for one thread, when no other will read the epoch, draw or publish. 2^32 - 1
// launches later an old word could be taken for a new one: then all are cleared.
__device__ inline void end_epoch(workspace const& w, std::uint32_t epoch) {
  bool const last = epoch == ~std::uint32_t(0);
  if (last)
#pragma unroll 1
    for (std::uint64_t i = 0; i < w.count; ++i) publish(w.words + i, 0, 0);
  // No ticket is drawn.
  __nv_atomic_store_n(w.epoch_and_drawn(), std::uint64_t(last ? 0 : epoch), __NV_ATOMIC_RELAXED,
                      __NV_THREAD_SCOPE_DEVICE);
}

}  // namespace tally::device
