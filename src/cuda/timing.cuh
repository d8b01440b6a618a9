// SPDX-License-Identifier: Apache-2.0
//
// How long a call's work takes on the current device, without the gaps between launches.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <functional>
#include <vector>

#include "tally/cuda/device_array.cuh"

namespace tally::timing {

// The current device's stream for all graphs. A program that is to measure short calls has all its
// work on it: some use of another stream, and every kernel of a graph takes 0.2 to 0.35 us longer
// to start from then on (seen on an H100 with CUDA 13.0).
cudaStream_t own_stream();

// Microseconds a call, one sample a replay, in the order they were taken.
struct samples {
  std::vector<double> us;
  double median() const;
};

// Puts call i of 0, 1, 2, ... on the stream; captured in a graph, so it allocates nothing.
using work = std::function<void(cudaStream_t, std::size_t i)>;

// Every call on the same data, which stays in L2 if it fits.
samples warm_time(work const& enqueue, int replays = 9);

// Nothing that the calls use is in L2 when a replay begins. Each of the calls i in [0, calls) needs
// data of its own, of which the rotations below have enough.
samples cold_time(work const& enqueue, std::size_t calls, int replays = 9);

// For launches that cannot be captured: `calls` at a time between two events, gaps included.
samples event_time(work const& enqueue, std::size_t calls, int replays = 9);

// Blocks of memory, all zero, to use in turn: 2 GB of them or a quarter of what is free, whichever
// is less, but one at least. Where that is so little that L2 could still hold a block when its turn
// comes again, calls() is the number of blocks, so that each is used once.
class rotation {
 public:
  explicit rotation(std::size_t bytes);
  std::size_t calls() const;  // for cold_time
  std::byte* operator[](std::size_t call) const { return memory_.data() + call % count_ * stride_; }

 private:
  std::size_t stride_, count_;
  device_array<std::byte> memory_;
};

}  // namespace tally::timing
