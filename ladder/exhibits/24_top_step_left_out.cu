// SPDX-License-Identifier: Apache-2.0
//
// Exhibit 24: the top of the tree.
//
// Page:   the reduction phase as a fragment: stride = 1; stride < BLOCK_SIZE, for 2 * BLOCK_SIZE
//         elements.
// Wrong:  the step in which the two halves meet is left out, so that the last element has the sum
//         of its own half; and only that one is wrong.
// Right:  stride <= BLOCK_SIZE, as the page's whole kernel has it.
#include "ladder/exhibits/exhibit.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

namespace ladder::exhibits {

__global__ void without_the_top(int const* in, int* y) {
  __shared__ int x[16];
  unsigned const t = threadIdx.x;
  x[t] = in[t], x[t + 8] = in[t + 8];
  __syncthreads();
  for (unsigned stride = 1; stride < 8; stride *= 2) {
    unsigned const i = (t + 1) * 2 * stride - 1;
    if (i < 16) x[i] += x[i - stride];
    __syncthreads();
  }
  for (unsigned stride = 4; stride > 0; stride /= 2) {
    unsigned const i = (t + 1) * 2 * stride - 1;
    if (i + stride < 16) x[i + stride] += x[i];
    __syncthreads();
  }
  y[t] = x[t], y[t + 8] = x[t + 8];
}

show const top_step_left_out({
    .page = "T3",
    .bug = "stride < BLOCK_SIZE leaves out the step in which two halves of BLOCK_SIZE meet",
    .expected = "wrong value",
    .run =
        [](check& that) {
          tally::device_array<int> const in(std::vector<int>(16, 1)), y(16);
          tally::launch(without_the_top, 1, 8)(in.data(), y.data());
          that.equal("prefix sums of 16 ones",
                     std::vector{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},
                     y.to_host());
        },
});

}  // namespace ladder::exhibits
