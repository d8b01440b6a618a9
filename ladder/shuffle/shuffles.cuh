// SPDX-License-Identifier: Apache-2.0
//
// The four shuffles, and kernels that write down what they do.
#pragma once

#include "applied.cuh"
#include "ladder/shuffle/experiment.hpp"
#include "tally/cuda/launch.cuh"

namespace ladder::shuffle {

struct up {
  unsigned mask;
  int by, width;
  __device__ int operator()(int x) const { return __shfl_up_sync(mask, x, by, width); }
};

struct down {
  unsigned mask;
  int by, width;
  __device__ int operator()(int x) const { return __shfl_down_sync(mask, x, by, width); }
};

struct exchange {
  unsigned mask;
  int by, width;
  __device__ int operator()(int x) const { return __shfl_xor_sync(mask, x, by, width); }
};

struct indexed {
  unsigned mask;
  int source, width;
  __device__ int operator()(int x) const { return __shfl_sync(mask, x, source, width); }
};

// This thread's place in a step of the trace.
__device__ inline step& at(step* trace, int number) {
  return trace[(number * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x];
}

// The lane's own number goes with its value, which is not negative: `from` is observed, not
// computed, and there is one shuffle, as on the page.
template <class Shuffle>
__device__ step observe(Shuffle shuffle, int x) {
  int const both = shuffle(x * 32 + int(threadIdx.x)), got = both / 32;
  return {both % 32, got, got};
}

// Every lane of the mask holds 100 + its number and shuffles once; the others do not call.
template <class Shuffle>
__global__ void shuffle_once(Shuffle shuffle, step* trace) {
  int const lane = int(threadIdx.x), x = 100 + lane;
  at(trace, 0) = {lane, x, x};
  bool const calls = shuffle.mask >> lane & 1;
  at(trace, 1) = calls ? observe(shuffle, x) : step{did_not_call, x, x};
}

enum class guard { none, by_lane, by_place_in_group };

// Prefix sums in groups of 8 by shuffling up, lane 0 holding `first` and every next lane 1 less.
// The offset grows from 1, by doubling or by 1.
template <guard Guard>
__global__ void prefix_sums(unsigned mask, int first, int steps, bool doubling, step* trace) {
  int const lane = int(threadIdx.x), place = Guard == guard::by_lane ? lane : lane % 8;
  int x = first - lane;
  at(trace, 0) = {lane, x, x};
  for (int number = 1, offset = 1; number <= steps; ++number) {
    step now = observe(up{mask, offset, 8}, x);
    if (Guard == guard::none || place >= offset) {
      applied();
      x += now.got;
    }
    now.holds = x;
    at(trace, number) = now;
    offset += doubling ? offset : 1;
  }
}

}  // namespace ladder::shuffle
