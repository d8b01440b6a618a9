// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ladder/scan/network.cuh"

namespace ladder::scan {

// Kogge and Stone's steps over `count` elements, of which the i-th is at `place(i)`: a thread an
// element. All have read before any writes, so that there are two barriers a step.
template <class X, class Place>
__device__ void kogge_stone_steps(X x, unsigned count, Place place) {
  unsigned const t = threadIdx.x;
  for (unsigned stride = 1; stride < count; stride *= 2) {
    bool const takes = stride <= t && t < count;
    auto const both = takes ? x.both(place(t - stride), place(t)) : typename X::state{};
    __syncthreads();
    if (takes) x[place(t)] = both;
    x.end_step();
  }
}

}  // namespace ladder::scan
