// SPDX-License-Identifier: Apache-2.0
//
// Exhibit 18: a lane number for blocks that are a line.
//
// Page:   lane = threadIdx.x % 32.
// Wrong:  in a block of 8 x 4 threads x repeats within the warp: lanes 8, 16 and 24 think that
//         they are the first.
// Right:  the linear index, (z * blockDim.y + y) * blockDim.x + x, modulo 32.
#include "ladder/exhibits/exhibit.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

namespace ladder::exhibits {

__global__ void lane_from_x(int* out) {
  unsigned const lane = threadIdx.x % 32;
  int x = 1;
  for (unsigned offset = 1; offset < 32; offset *= 2) {
    int const left = __shfl_up_sync(0xffffffffu, x, offset);
    if (lane >= offset) x += left;
  }
  out[threadIdx.y * blockDim.x + threadIdx.x] = x;
}

show const lane_of_a_square_block({
    .page = "T1",
    .bug = "the lane is taken from threadIdx.x alone in a block of 8 x 4",
    .expected = "wrong value",
    .run =
        [](check& that) {
          tally::device_array<int> const out(32);
          tally::launch(lane_from_x, 1, dim3(8, 4))(out.data());
          auto const found = out.to_host();
          for (int const lane : {7, 8, 31})
            that.equal("prefix sum of ones in lane " + std::to_string(lane), lane + 1, found[lane]);
        },
});

}  // namespace ladder::exhibits
