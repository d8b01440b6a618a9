// SPDX-License-Identifier: Apache-2.0
//
// Blocks that work on one row together: a single one where there are many rows, all of a launch
// where there is one. What they do is written once.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "tally/device/grid/workspace.hpp"

namespace tally::device {

inline constexpr int selecting_threads = 512;  // a block

// Blocks of a team follow one another; those of several are resident together (a cooperative
// launch). All threads of a block call its members together.
class team {
 public:
  static constexpr unsigned most = workspace::max_sums;  // teams of several blocks

  // The block number `rank` of the team number `number`.
  __device__ team(workspace const& w, unsigned number, unsigned rank, unsigned blocks)
      : arrived_(reinterpret_cast<std::uint32_t*>(w.sums() + number)),
        rank_(rank),
        blocks_(blocks) {}
  // A block by itself, which meets nobody.
  __device__ static team of_one() { return team(); }

  __device__ unsigned rank() const { return rank_; }
  __device__ unsigned blocks() const { return blocks_; }
  __device__ bool is_alone() const { return blocks_ == 1; }

  // The threads of all blocks, counted through.
  __device__ unsigned thread() const { return rank_ * blockDim.x + threadIdx.x; }
  __device__ unsigned threads() const { return blocks_ * blockDim.x; }

  // Waits until all blocks of the team are here; what they wrote before is then to be seen.
  __device__ void meet() {
    __syncthreads();
    if (is_alone()) return;
    due_ += blocks_;
    if (threadIdx.x == 0) {
      __nv_atomic_fetch_add(arrived_, 1u, __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_DEVICE);
      while (__nv_atomic_load_n(arrived_, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE) < due_) {
      }
    }
    __syncthreads();
  }

  // Ends the launch for the block. The last one puts back the counters, which are zero between
  // launches: by then nobody waits.
  __device__ void leave() {
    if (is_alone() || threadIdx.x != 0) return;
    auto const gone =
        __nv_atomic_fetch_add(arrived_ + 1, 1u, __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_DEVICE);
    if (gone != blocks_ - 1) return;
    __nv_atomic_store_n(arrived_, 0u, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_store_n(arrived_ + 1, 0u, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  }

 private:
  __device__ team() : arrived_(nullptr), rank_(0), blocks_(1) {}

  std::uint32_t* arrived_;  // how many have, and have left
  unsigned due_ = 0, rank_, blocks_;
};

}  // namespace tally::device
