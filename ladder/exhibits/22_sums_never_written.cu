// SPDX-License-Identifier: Apache-2.0
//
// Exhibit 22: prefix sums that nobody writes, and that are not the ones that are named.
//
// Page:   the kernel scans shared memory and ends; it is said to be an exclusive scan.
// Wrong:  Y is never written. And if it were, it would be the inclusive scan: every thread's sum
//         has its own element in it.
// Right:  Y[i] = the thread's sum; for the exclusive scan that of the thread before.
#include "ladder/exhibits/exhibit.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

namespace ladder::exhibits {

__global__ void scan_of_a_block(int const* in, int* y, bool writes) {
  __shared__ int x[8];
  unsigned const t = threadIdx.x;
  x[t] = in[t];
  __syncthreads();
  for (unsigned stride = 1; stride < 8; stride *= 2) {
    int const left = t >= stride ? x[t - stride] : 0;
    __syncthreads();
    x[t] += left;
    __syncthreads();
  }
  if (writes) y[t] = x[t];
}

show const sums_never_written({
    .page = "T3",
    .bug = "the sums stay in shared memory; and they are inclusive, though it says exclusive",
    .expected = "wrong value",
    .run =
        [](check& that) {
          std::vector<int> const numbers{1, 2, 3, 4, 5, 6, 7, 8}, right{0, 1, 3, 6, 10, 15, 21, 28};
          tally::device_array<int> const in{std::span(numbers)}, y(std::vector<int>(8, -1));
          tally::launch(scan_of_a_block, 1, 8)(in.data(), y.data(), false);
          that.equal("exclusive sums of 1 to 8", right, y.to_host());
          tally::launch(scan_of_a_block, 1, 8)(in.data(), y.data(), true);
          that.equal("the same, written", right, y.to_host());
        },
});

}  // namespace ladder::exhibits
