// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace simt {

// A copy to shared memory that a lane has started and not yet waited for.
struct pending_copy {
  void* to;
  void const* from;
  std::size_t bytes, zeros;  // the last ones of the bytes are not copied but zero
  void* pc;
};

struct pending_copies {
  std::vector<pending_copy> started;             // since the last commit
  std::deque<std::vector<pending_copy>> groups;  // committed
};

struct lane;

// What a barrier in shared memory is told of: an arrival less, and bytes that it expects or has.
struct barrier_step {
  std::int32_t arrivals, bytes;
};

// A lane's copies that a barrier will be told of.
struct barrier_copies {
  lane* by;
  std::vector<pending_copy> all;
  std::uint64_t* barrier;
  barrier_step step;
};

}  // namespace simt
