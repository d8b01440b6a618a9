// SPDX-License-Identifier: Apache-2.0
//
// Exhibit 17: four groups, and a guard for one.
//
// Page:   shuffles of width 8 are guarded by lane >= offset.
// Wrong:  lane 8 is the first of its group and gets its own value back, but 8 >= 1: it adds it.
// Right:  (lane & 7) >= offset.
#include "ladder/exhibits/exhibit.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

namespace ladder::exhibits {

__global__ void guard_by_lane(int* out) {
  unsigned const lane = threadIdx.x;
  int x = 1;
  for (unsigned offset = 1; offset < 8; offset *= 2) {
    int const left = __shfl_up_sync(0xffffu, x, offset, 8);
    if (lane >= offset) x += left;
  }
  out[lane] = x;
}

show const guard_of_the_whole_warp({
    .page = "T1",
    .bug = "the guard of a scan in groups of 8 compares the lane, not its place in the group",
    .expected = "wrong value",
    .run =
        [](check& that) {
          tally::device_array<int> const out(16);
          tally::launch(guard_by_lane, 1, 16)(out.data());
          that.equal("prefix sums of ones in two groups",
                     {1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8}, out.to_host());
        },
});

}  // namespace ladder::exhibits
