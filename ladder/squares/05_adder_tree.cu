// SPDX-License-Identifier: Apache-2.0
//
// Rung 5: an adder tree.
//
// Change:   pairs are added at once, 6 steps for 64 threads; each ends in a barrier that all reach.
// Predict:  some improvement, the tutorial says: 63 dependent additions become 6. Beside reading a
//           million elements with 512 threads it is too little to see.
// Measured: on an H200 776 us, as rung 4.
// Bytes:    n elements read, 8 sums written and copied to the host.
#include "ladder/squares/tree.cuh"

namespace ladder::squares {

__global__ void adder_tree(int const* in, std::size_t n, unsigned* out) {
  auto const mine = every_nth_square<unsigned>(in, n, thread_of_grid(), threads_of_grid());
  auto const total = tree_total(mine, tally::dynamic_shared<unsigned>());
  if (threadIdx.x == 0) out[blockIdx.x] = total;
}

static registered const here{of_squares<unsigned>(
    {
        .id = "squares/05_adder_tree",
        .title = "An adder tree in each block",
        .bound = "latency: too few loads in flight",
        .page = "version 3: adder tree",
        .grid = 8,
        .block = 64,
    },
    one_a_block, [](problem const& p, int const* in, unsigned* out) {
      tally::launch(adder_tree, p.grid, p.block, p.block * sizeof(unsigned), p.stream)(in, p.n,
                                                                                       out);
    })};

}  // namespace ladder::squares
