// SPDX-License-Identifier: Apache-2.0
//
// Exhibit 27: every block begins anew.
//
// Page:   a grid of blocks, each of which scans what it has loaded.
// Wrong:  nothing is carried from one block to the next: the array's scan is right in its first
//         block only. Nor does anyone write the total, which could be the carry.
// Right:  a carry, in a second launch or by waiting for the tiles before (rungs 14 to 16).
#include "ladder/exhibits/exhibit.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

namespace ladder::exhibits {

__global__ void without_a_carry(int const* in, int* y) {
  __shared__ int x[8];
  unsigned const t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  x[t] = in[i];
  __syncthreads();
  for (unsigned stride = 1; stride < 8; stride *= 2) {
    int const left = t >= stride ? x[t - stride] : 0;
    __syncthreads();
    x[t] += left;
    __syncthreads();
  }
  y[i] = x[t];
}

show const every_block_begins_anew({
    .page = "T3",
    .bug = "no carry between blocks: more than one gives a scan of each block's own elements",
    .expected = "wrong value",
    .run =
        [](check& that) {
          tally::device_array<int> const in(std::vector<int>(16, 1)), y(16);
          tally::launch(without_a_carry, 2, 8)(in.data(), y.data());
          that.equal("prefix sums of 16 ones",
                     std::vector{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},
                     y.to_host());
        },
});

}  // namespace ladder::exhibits
