// SPDX-License-Identifier: Apache-2.0
//
// Exhibit 5: the last warp of a block that has only one.
//
// Page:   all 32 threads of the last warp add element t + 16; blocks may have 32 threads.
// Wrong:  threads 16 to 31 read elements 32 to 47 of the 32 that were asked for.
// Right:  only threads below the offset add.
#include "ladder/exhibits/exhibit.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

namespace ladder::exhibits {

constexpr int fault = __LINE__ + 8;

__global__ void whole_warp_adds(int const* in, int* out) {
  int* const sums = tally::dynamic_shared<int>();
  unsigned const t = threadIdx.x;
  sums[t] = in[t];
  __syncwarp();
  for (unsigned offset = 16; offset > 0; offset /= 2) {
    int const other = sums[t + offset];
    __syncwarp();
    sums[t] += other;
    __syncwarp();
  }
  if (t == 0) *out = sums[0];
}

show const block_of_32({
    .page = "T0",
    .bug = "with 32 threads, lanes 16 to 31 read past the 32 elements of shared memory",
    .expected = "out of bounds",
    .line = fault,
    .run =
        [](check&) {
          tally::device_array<int> const in(std::vector<int>(32, 1)), out(1);
          tally::launch(whole_warp_adds, 1, 32, 32 * sizeof(int))(in.data(), out.data());
        },
});

}  // namespace ladder::exhibits
