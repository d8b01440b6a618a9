// SPDX-License-Identifier: Apache-2.0
//
// Exhibit 23: barriers in a loop that is not as long for every thread.
//
// Page:   for (stride = 1; stride <= threadIdx.x; stride *= 2), with two __syncthreads inside.
// Wrong:  thread 0 comes by no barrier, thread 1 by two, thread 7 by six. A barrier is for all
//         threads of a block; that it ends at all is because threads that have left the kernel are
//         not waited for on some GPUs.
// Right:  the loop as long for everyone, and a condition inside.
#include "ladder/exhibits/exhibit.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

namespace ladder::exhibits {

constexpr int fault = __LINE__ + 7;

__global__ void uneven_loop(int const* in, int* y) {
  __shared__ int x[8];
  unsigned const t = threadIdx.x;
  x[t] = in[t];
  for (unsigned stride = 1; stride <= t; stride *= 2) {
    __syncthreads();
    int const left = x[t - stride];
    __syncthreads();
    x[t] += left;
  }
  y[t] = x[t];
}

show const barrier_in_an_uneven_loop({
    .page = "T3",
    .bug = "__syncthreads in a loop whose length depends on the thread",
    .expected = "exit before a barrier",
    .line = fault,
    .run =
        [](check&) {
          tally::device_array<int> const in(std::vector<int>(8, 1)), y(8);
          tally::launch(uneven_loop, 1, 8)(in.data(), y.data());
        },
});

}  // namespace ladder::exhibits
