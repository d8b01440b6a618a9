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
      : arrived_(w.meetings() + 2 * number), rank_(rank), blocks_(blocks) {
    if (!is_alone()) due_ = arrived_[1];
  }
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
    due_ += blocks_, has_met_ = true;
    if (threadIdx.x == 0) {
      __nv_atomic_fetch_add(arrived_, 1u, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
      while (int(__nv_atomic_load_n(arrived_, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE) -
                 due_) < 0) {
      }
    }
    __syncthreads();
  }

  // Ends the launch for the block. The next launch is to find how many have arrived; none reads it
  // before this one has ended.
  __device__ void leave() {
    if (has_met_ && rank_ == 0 && threadIdx.x == 0) arrived_[1] = due_;
  }

 private:
  __device__ team() : arrived_(nullptr), rank_(0), blocks_(1) {}

  // How many have arrived since the workspace is there, and how many had before this launch. Both
  // wrap.
  std::uint32_t* arrived_;
  unsigned due_ = 0, rank_, blocks_;  // so many have arrived when all are at the last meeting
  bool has_met_ = false;
};

}  // namespace tally::device
