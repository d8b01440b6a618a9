// SPDX-License-Identifier: Apache-2.0
//
// Exhibit 1: the tail that a division loses.
//
// Page:   every block takes n / gridDim.x elements, every thread n / blockDim.x of those.
// Wrong:  both quotients are rounded down and nobody reads the rest: 562,816 of 10,000,000
//         elements; of 1,000,000, or of 2^20 - 1, all of them.
// Right:  chunks that are rounded up and end at n.
#include "ladder/exhibits/exhibit.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

namespace ladder::exhibits {

__global__ void chunks_rounded_down(int const* in, std::size_t n, int* sums) {
  std::size_t const per_block = n / gridDim.x, per_thread = per_block / blockDim.x;
  in += blockIdx.x * per_block + threadIdx.x * per_thread;
  int sum = 0;
  for (std::size_t i = 0; i < per_thread; ++i) sum += in[i];
  sums[std::size_t(blockIdx.x) * blockDim.x + threadIdx.x] = sum;
}

int sum_of_ones(int n) {
  tally::device_array<int> const in(std::vector<int>(n, 1)), sums(1024 * 1024);
  tally::launch(chunks_rounded_down, 1024, 1024)(in.data(), in.size(), sums.data());
  int total = 0;
  for (int const sum : sums.to_host()) total += sum;
  return total;
}

show const lost_tail({
    .page = "T0",
    .bug = "n / gridDim.x and n / blockDim.x round down, and nobody reads what is left over",
    .expected = "wrong value",
    .run =
        [](check& that) {
          for (int const n : {10'000'000, 1'000'000, (1 << 20) - 1})
            that.equal("sum of " + std::to_string(n) + " ones", n, sum_of_ones(n));
        },
});

}  // namespace ladder::exhibits
