// SPDX-License-Identifier: Apache-2.0
//
// A schedule says which part of the work a block does next. A static schedule gives each block an
// equal share. A dynamic one gives it the first part that no block has yet: a GPU's multiprocessors
// do not get at memory equally fast, and of equal shares those of the slower ones are done last.
#pragma once

#include <cuda_runtime.h>

#include "tally/device/grid/workspace.hpp"

namespace tally::device {

// With either, a block goes through the parts 0, 1, 2, ... of the work, from that of its own number
// on: next() says how many further on its next part is, which may be behind the last. ask() comes
// before it, early. All threads of a block call them together.

class static_schedule {
 public:
  __device__ static_schedule(workspace const&, bool) {}
  __device__ void ask() {}
  __device__ std::uint64_t next() { return gridDim.x; }
};

// A block draws a ticket from a counter, for `Each` parts at once. If not `dynamic`, the schedule
// is static.
//
// The counter is 0 between launches. The first block puts it back (end_epoch) when it has seen what
// every other block published, which depends on the block's last ticket: no more will be drawn.
template <int Each>
class dynamic_schedule {
 public:
  // For the blocks from `begin` on, which share the work.
  __device__ dynamic_schedule(workspace const& w, bool dynamic, unsigned begin = 0)
      : counter_(w.drawn()),
        blocks_(gridDim.x - begin),
        at_(blockIdx.x - begin - (Each - 1)),
        dynamic_(dynamic) {}

  __device__ void ask() {
    if (dynamic_ && left_ == 0 && threadIdx.x == 0) [[unlikely]]
      drawn_ = __nv_atomic_fetch_add(counter_, 1u, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  }
  __device__ std::uint64_t next() {
    if (!dynamic_) [[likely]]
      return blocks_;
    if (left_ > 0) return --left_, 1;
    __shared__ std::uint32_t place[2];  // in turn: past a barrier, all have read the one before
    turn_ ^= 1;
    if (threadIdx.x == 0) place[turn_] = drawn_;
    __syncthreads();
    auto const last = at_ + (Each - 1);
    left_ = Each - 1, at_ = blocks_ + Each * place[turn_];
    return at_ - last;
  }

 private:
  std::uint32_t* counter_;
  std::uint32_t blocks_;
  std::uint32_t at_;  // where the parts of the block's last ticket begin
  std::uint32_t drawn_ = 0;
  int left_ = 0;  // of those parts, behind this one
  int turn_ = 0;
  bool dynamic_;
};

}  // namespace tally::device
