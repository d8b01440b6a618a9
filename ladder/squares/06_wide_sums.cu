// SPDX-License-Identifier: Apache-2.0
//
// Rung 6: sums wider than the input.
//
// Change:   sums of 64 bits, each square widened before it is multiplied. The rungs before are
//           right modulo 2^32 only: 60 squares of 10,000 are more.
// Predict:  no time lost: two instructions an element instead of one, while waiting for memory.
// Measured: on an H200 778 us after 776.
// Bytes:    n elements read, 8 sums of 8 bytes written and copied to the host.
#include "ladder/squares/tree.cuh"

namespace ladder::squares {

using wide = unsigned long long;

__global__ void wide_sums(int const* in, std::size_t n, wide* out) {
  auto const mine = every_nth_square<wide>(in, n, thread_of_grid(), threads_of_grid());
  auto const total = tree_total(mine, tally::dynamic_shared<wide>());
  if (threadIdx.x == 0) out[blockIdx.x] = total;
}

static registered const here{of_squares<wide>(
    {
        .id = "squares/06_wide_sums",
        .title = "Sums wider than the input",
        .bound = "latency: too few loads in flight",
        .grid = 8,
        .block = 64,
    },
    one_a_block, [](problem const& p, int const* in, wide* out) {
      tally::launch(wide_sums, p.grid, p.block, p.block * sizeof(wide), p.stream)(in, p.n, out);
    })};

}  // namespace ladder::squares
