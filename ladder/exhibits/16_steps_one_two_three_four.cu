// SPDX-License-Identifier: Apache-2.0
//
// Exhibit 16: a prefix sum whose steps do not double.
//
// Page:   experiment 2 counts the offset i++: 1, 2, 3, 4.
// Wrong:  after offset 1 and 2 a lane holds the sum of 4; taking the one 3 below adds elements
//         that it holds already.
// Right:  offsets 1, 2, 4.
#include "ladder/exhibits/exhibit.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

namespace ladder::exhibits {

__global__ void offsets_that_count(int* out) {
  unsigned const lane = threadIdx.x;
  int x = 8 - int(lane);
  for (unsigned offset = 1; offset <= 4; ++offset) {
    int const left = __shfl_up_sync(0xff, x, offset, 8);
    if (lane >= offset) x += left;
  }
  out[lane] = x;
}

show const steps_one_two_three_four({
    .page = "T1",
    .bug = "the offsets of a prefix sum go 1, 2, 3, 4 instead of 1, 2, 4",
    .expected = "wrong value",
    .run =
        [](check& that) {
          tally::device_array<int> const out(8);
          tally::launch(offsets_that_count, 1, 8)(out.data());
          that.equal("prefix sums of 8 to 1", {8, 15, 21, 26, 30, 33, 35, 36}, out.to_host());
        },
});

}  // namespace ladder::exhibits
