// SPDX-License-Identifier: Apache-2.0
//
// Exhibit 4: a warp that trusts volatile.
//
// Page:   the last 32 threads run in step, so volatile shared memory needs no barrier.
// Wrong:  since Volta each thread has its own program counter. volatile keeps a value out of
//         registers; it does not order the accesses of two threads.
// Right:  __syncwarp() between reading and writing, or shuffles.
#include "ladder/exhibits/exhibit.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

namespace ladder::exhibits {

constexpr int fault = __LINE__ + 9;

__global__ void volatile_warp(int const* in, int* out) {
  __shared__ int shared[64];
  unsigned const t = threadIdx.x;
  shared[t] = in[t];
  __syncthreads();
  int volatile* const sums = shared;
  for (unsigned offset = 32; t < 32 && offset > 0; offset /= 2)
    sums[t] = sums[t] + sums[t + offset];
  if (t == 0) *out = sums[0];
}

show const volatile_in_a_warp({
    .page = "T0",
    .bug = "threads of a warp add through volatile shared memory without __syncwarp",
    .expected = "race",
    .line = fault,
    .run =
        [](check&) {
          tally::device_array<int> const in(std::vector<int>(64, 1)), out(1);
          tally::launch(volatile_warp, 1, 64)(in.data(), out.data());
        },
});

}  // namespace ladder::exhibits
