// SPDX-License-Identifier: Apache-2.0
//
// Exhibit 3: a tree that halves a number which is not a power of two.
//
// Page:   blocks need a multiple of 32 threads; the tree halves until 32 are left, or, unrolled,
//         begins at the largest power of two that fits.
// Wrong:  halving 96 gives 48, then the last warp, for which 16 sums count twice;
//         unrolled, what lies beyond the power of two is never added.
// Right:  halves rounded up, or a block size that is checked to be a power of two.
#include <bit>

#include "ladder/exhibits/exhibit.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

namespace ladder::exhibits {

__global__ void tree(unsigned first, int* out) {
  int* const sums = tally::dynamic_shared<int>();
  unsigned const t = threadIdx.x;
  sums[t] = 1;
  __syncthreads();
  for (unsigned active = first; active > 32; active /= 2) {
    if (t < active) sums[t] += sums[t + active];
    __syncthreads();
  }
  for (unsigned active = 32; active > 0; active /= 2) {
    if (t < active) sums[t] += sums[t + active];
    __syncthreads();
  }
  if (t == 0) *out = sums[0];
}

int sum_of_ones(unsigned threads, unsigned first) {
  tally::device_array<int> const out(1);
  tally::launch(tree, 1, threads, threads * sizeof(int))(first, out.data());
  return out.to_host()[0];
}

show const tree_on_96_threads({
    .page = "T0",
    .bug = "the tree needs a power of two of threads; a multiple of 32 is not enough",
    .expected = "wrong value",
    .run =
        [](check& that) {
          for (unsigned const n : {96, 160, 192, 768}) {
            auto const what = std::to_string(n) + " ones";
            that.equal(what, int(n), sum_of_ones(n, n / 2));
            that.equal(what + ", unrolled", int(n), sum_of_ones(n, std::bit_floor(n) / 2));
          }
        },
});

}  // namespace ladder::exhibits
