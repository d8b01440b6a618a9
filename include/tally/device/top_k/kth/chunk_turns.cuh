// SPDX-License-Identifier: Apache-2.0
//
// Which chunks of a row a team's blocks read: each its share of all parts of the row, so that all
// find as much in a sorted one, and of a block's chunks a warp takes the next when it has the time.
#pragma once

#include "tally/device/rows/team.cuh"
#include "tally/warp/shuffle.cuh"

namespace tally::device {

inline constexpr unsigned warps_of_selecting = selecting_threads / 32;

template <class Index>
class chunk_turns {
 public:
  // By all threads of block `rank` of so many.
  __device__ chunk_turns(unsigned rank, unsigned blocks) : rank_(rank), blocks_(blocks) {
    if (threadIdx.x == 0) taken() = 0;
    __syncthreads();
  }
  // The next chunk, by all lanes of a warp.
  __device__ Index take() const {
    unsigned turn = 0;
    if (threadIdx.x % 32 == 0) turn = atomicAdd(&taken(), 1u);
    return Index(warp::broadcast(turn, 0)) * blocks_ + rank_;
  }

 private:
  __device__ static unsigned& taken() {
    __shared__ unsigned count;
    return count;
  }

  unsigned rank_, blocks_;
};

}  // namespace tally::device
