// SPDX-License-Identifier: Apache-2.0
//
// Exhibit 25: the way down, past the end.
//
// Page:   the reverse phase of the whole kernel: if (index < 2 * BLOCK_SIZE) x[index + stride] +=
//         x[index].
// Wrong:  it tests the place that it reads, not the one that it changes. With 8 threads it changes
//         19, 17 and 16 of 16 elements; with 512, up to 1279 of 1024.
// Right:  index + stride < 2 * BLOCK_SIZE, as the page's fragment has it.
#include "ladder/exhibits/exhibit.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

namespace ladder::exhibits {

constexpr int fault = __LINE__ + 14;

__global__ void past_the_end(int const* in, int* y) {
  __shared__ int x[16];
  unsigned const t = threadIdx.x;
  x[t] = in[t], x[t + 8] = in[t + 8];
  __syncthreads();
  for (unsigned stride = 1; stride <= 8; stride *= 2) {
    unsigned const i = (t + 1) * 2 * stride - 1;
    if (i < 16) x[i] += x[i - stride];
    __syncthreads();
  }
  for (unsigned stride = 4; stride > 0; stride /= 2) {
    unsigned const i = (t + 1) * 2 * stride - 1;
    if (i < 16) x[i + stride] = x[i + stride] + x[i];
    __syncthreads();
  }
  y[t] = x[t], y[t + 8] = x[t + 8];
}

show const past_the_end_on_the_way_down({
    .page = "T3",
    .bug = "the reverse phase tests the index that it reads, not the one that it changes",
    .expected = "out of bounds",
    .line = fault,
    .run =
        [](check&) {
          tally::device_array<int> const in(std::vector<int>(16, 1)), y(16);
          tally::launch(past_the_end, 1, 8)(in.data(), y.data());
        },
});

}  // namespace ladder::exhibits
