// SPDX-License-Identifier: Apache-2.0
//
// Exhibit 14: a lane that calls although its bit is clear.
//
// Page:   a lane that the mask leaves out gets its own value back.
// Wrong:  that is for a source out of range. A lane whose own bit is clear must not call at all.
// Right:  only the lanes of the mask call.
#include "ladder/exhibits/exhibit.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

namespace ladder::exhibits {

constexpr int fault = __LINE__ + 3;

__global__ void everyone_calls(int* out) {
  out[threadIdx.x] = __shfl_down_sync(0x0f, int(threadIdx.x), 1);
}

show const masked_off_lane({
    .page = "T1",
    .bug = "eight lanes call with a mask of four; the other four do not just keep their values",
    .expected = "shuffle",
    .line = fault,
    .run =
        [](check&) {
          tally::device_array<int> const out(8);
          tally::launch(everyone_calls, 1, 8)(out.data());
        },
});

}  // namespace ladder::exhibits
