// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ladder/operators.cuh"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

// What each lane of a warp has in the end, of which a rung may store the first lane's only.
namespace ladder::shuffle {

template <class Algorithm>
__global__ void of_each_lane(Algorithm algorithm, long long* out) {
  out[threadIdx.x] = algorithm(1ll << threadIdx.x);  // a bit a lane: the sum tells who was added
}

template <class Algorithm>
std::vector<long long> lanes_of(Algorithm algorithm) {
  tally::device_array<long long> const out(32);
  tally::launch(of_each_lane<Algorithm>, 1, 32)(algorithm, out.data());
  return out.to_host();
}

// By steps down by 16, 8, 4, 2, 1, of which a lane adds its own value where none is above.
inline std::vector<long long> sums_downward() {
  std::vector<long long> lanes;
  for (int lane = 0; lane < 32; ++lane) lanes.push_back(1ll << lane);
  for (int by = 16; by > 0; by /= 2) {
    auto const before = lanes;
    for (int lane = 0; lane < 32; ++lane) lanes[lane] += before[lane + by < 32 ? lane + by : lane];
  }
  return lanes;
}

}  // namespace ladder::shuffle
