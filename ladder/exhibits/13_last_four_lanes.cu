// SPDX-License-Identifier: Apache-2.0
//
// Exhibit 13: a mask read from the wrong end.
//
// Page:   mask 0x0f is for the last four lanes; the first 28 are left out.
// Wrong:  bit i is lane i: 0x0f names lanes 0 to 3. Lanes 28 to 31 call with a mask that does not
//         name them, which is undefined.
// Right:  0xf0000000 for the last four.
#include "ladder/exhibits/exhibit.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

namespace ladder::exhibits {

constexpr int fault = __LINE__ + 4;

__global__ void mask_of_the_first_four(int* out) {
  int x = int(threadIdx.x);
  if (threadIdx.x >= 28) x = __shfl_down_sync(0x0f, x, 1);
  out[threadIdx.x] = x;
}

show const last_four_lanes({
    .page = "T1",
    .bug = "mask 0x0f is given to the last four lanes, and names the first four",
    .expected = "shuffle",
    .line = fault,
    .run =
        [](check&) {
          tally::device_array<int> const out(32);
          tally::launch(mask_of_the_first_four, 1, 32)(out.data());
        },
});

}  // namespace ladder::exhibits
