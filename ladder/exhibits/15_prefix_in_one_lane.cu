// SPDX-License-Identifier: Apache-2.0
//
// Exhibit 15: a prefix sum that only the last lane gets.
//
// Page:   warp_prefix_sum(value, prefix_sum) sets prefix_sum under if (lane == 31).
// Wrong:  31 of 32 prefix sums are computed and thrown away; the callers' variables stay unset.
// Right:  every lane returns its own.
#include "ladder/exhibits/exhibit.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

namespace ladder::exhibits {

constexpr int unset = -1;

__device__ void prefix_sum_as_printed(int x, int& prefix) {
  unsigned const lane = threadIdx.x;
  for (unsigned offset = 1; offset < 32; offset *= 2) {
    int const left = __shfl_up_sync(0xffffffffu, x, offset);
    if (lane >= offset) x += left;
  }
  if (lane == 31) prefix = x;
}

__global__ void prefix_in_last_lane(int* out) {
  int prefix = unset;
  prefix_sum_as_printed(1, prefix);
  out[threadIdx.x] = prefix;
}

show const prefix_in_one_lane({
    .page = "T1",
    .bug = "only lane 31 is given its prefix sum, the other lanes' variables stay unset",
    .expected = "wrong value",
    .run =
        [](check& that) {
          tally::device_array<int> const out(32);
          tally::launch(prefix_in_last_lane, 1, 32)(out.data());
          auto const found = out.to_host();
          for (int const lane : {0, 1, 30, 31})
            that.equal("prefix sum of ones in lane " + std::to_string(lane), lane + 1, found[lane]);
        },
});

}  // namespace ladder::exhibits
