// SPDX-License-Identifier: Apache-2.0
//
// Exhibit 21: an adder tree that drops a leaf.
//
// Page:   offset = THREAD_NUM / 2, halved while it is more than 0.
// Wrong:  96 threads give 48, 24, 12, 6, 3, 1: of the last three sums the third is never added.
// Right:  halves rounded up, or a THREAD_NUM that is checked to be a power of two.
#include "ladder/exhibits/exhibit.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

namespace ladder::exhibits {

__global__ void adder_tree(int* out) {
  int* const sums = tally::dynamic_shared<int>();
  unsigned const t = threadIdx.x;
  sums[t] = 1;
  __syncthreads();
  for (unsigned offset = blockDim.x / 2; offset > 0; offset /= 2) {
    if (t < offset) sums[t] += sums[t + offset];
    __syncthreads();
  }
  if (t == 0) *out = sums[0];
}

show const adder_tree_on_96_threads({
    .page = "T2",
    .bug = "halving 96 reaches an odd number, 3, whose last sum is dropped",
    .expected = "wrong value",
    .run =
        [](check& that) {
          tally::device_array<int> const out(1);
          tally::launch(adder_tree, 1, 96, 96 * sizeof(int))(out.data());
          that.equal("96 ones", 96, out.to_host()[0]);
        },
});

}  // namespace ladder::exhibits
