// SPDX-License-Identifier: Apache-2.0
//
// Exhibit 26: half of the elements.
//
// Page:   each thread loads one element, and the tree is over two for each thread.
// Wrong:  the upper half of the shared array is whatever was there. What is written back is the
//         lower half, so that nobody sees it; but half of the work is for nothing.
// Right:  two loads and two stores a thread, and the identity where there is no element.
#include "ladder/exhibits/exhibit.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

namespace ladder::exhibits {

constexpr int fault = __LINE__ + 9;

__global__ void half_loaded(int const* in, int* y) {
  __shared__ int x[16];
  unsigned const t = threadIdx.x;
  x[t] = in[t];
  __syncthreads();
  for (unsigned stride = 1; stride <= 8; stride *= 2) {
    unsigned const i = (t + 1) * 2 * stride - 1;
    if (i < 16) x[i] += x[i - stride];
    __syncthreads();
  }
  y[t] = x[t];
}

show const half_of_the_elements({
    .page = "T3",
    .bug = "BLOCK_SIZE of the 2 * BLOCK_SIZE elements are loaded; the others are added, too",
    .expected = "uninitialised",
    .line = fault,
    .run =
        [](check&) {
          tally::device_array<int> const in(std::vector<int>(8, 1)), y(8);
          tally::launch(half_loaded, 1, 8)(in.data(), y.data());
        },
});

}  // namespace ladder::exhibits
