// SPDX-License-Identifier: Apache-2.0
//
// Rung 8: the whole chip.
//
// Change:   1024 blocks of 256 threads, and each block adds its sum to the one result, set to 0 by
//           a launch before: nothing is left to the host. The tutorial ends by asking what more
//           could be gained: this.
// Predict:  512 times the threads: bound by reading, some tens of times rung 6. Integer sums do not
//           care for the order of the atomics.
// Measured: on an H200 145 times rung 6, 5.4 us after 778; 464 times at 2^28 elements, where the
//           two launches no longer count.
// Bytes:    n elements read; 1024 atomics.
#include "ladder/squares/tree.cuh"

namespace ladder::squares {

using wide = unsigned long long;

__global__ void start(wide* out) { *out = 0; }

__global__ void whole_chip(int const* in, std::size_t n, wide* out) {
  auto const mine = every_nth_square<wide>(in, n, thread_of_grid(), threads_of_grid());
  auto const total = tree_total(mine, tally::dynamic_shared<wide>());
  if (threadIdx.x == 0) atomicAdd(out, total);
}

static registered const here{of_squares<wide>(
    {
        .id = "squares/08_whole_chip",
        .title = "The whole chip, nothing left to the host",
        .bound = "reading, then two launches",
        .grid = 1024,
        .block = 256,
    },
    one, [](problem const& p, int const* in, wide* out) {
      tally::launch(start, 1, 1, 0, p.stream)(out);
      tally::launch(whole_chip, p.grid, p.block, p.block * sizeof(wide), p.stream)(in, p.n, out);
    })};

}  // namespace ladder::squares
