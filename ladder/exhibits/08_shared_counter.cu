// SPDX-License-Identifier: Apache-2.0
//
// Exhibit 8: one counter for two launches that run at the same time.
//
// Page:   the block that finds the counter at gridDim.x - 1 is the last one, and adds up the
//         others' sums; the counter is one __device__ variable.
// Wrong:  two launches on two streams count together. A block takes itself for the last one
//         while others of its launch have yet to write their sums.
// Right:  a counter in every call's own workspace.
//
// Odd and even blocks stand for the two launches: so they meet whatever runs them.
#include "ladder/exhibits/exhibit.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

namespace ladder::exhibits {

__device__ unsigned blocks_done;

constexpr int fault = __LINE__ + 11;

__global__ void two_launches(int* partial, int* out) {
  unsigned const launch = blockIdx.x % 2, block = blockIdx.x / 2, blocks = gridDim.x / 2;
  partial += launch * blocks;
  partial[block] = 1;
  __threadfence();
  if (atomicAdd(&blocks_done, 1u) != blocks - 1) return;
  atomicExch(&blocks_done, 0u);
  __threadfence();
  int sum = 0;
  for (unsigned i = 0; i < blocks; ++i) sum += partial[i];
  out[launch] = sum;
}

show const shared_counter({
    .page = "T0",
    .bug = "two launches at the same time count their finished blocks in one __device__ variable",
    .expected = "uninitialised",
    .line = fault,
    .run =
        [](check&) {
          tally::device_array<int> const partial(2 * 32), out(2);
          tally::launch(two_launches, 2 * 32, 1)(partial.data(), out.data());
        },
});

}  // namespace ladder::exhibits
