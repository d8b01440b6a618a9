// SPDX-License-Identifier: Apache-2.0
//
// Rung 3: 8 blocks of 64 threads.
//
// Change:   as many threads, on 8 SMs instead of one.
// Predict:  the tutorial saw no gain, its GPU having one memory bus that 512 threads kept busy.
//           Today 512 threads keep no memory busy: latency bounds both, so about the same, for that
//           reason.
// Measured: on an H200 774 us after 769.
// Bytes:    n elements read, 512 sums written and copied to the host.
#include "ladder/squares/squares.cuh"

namespace ladder::squares {

__global__ void blocks(int const* in, std::size_t n, unsigned* out) {
  out[thread_of_grid()] = every_nth_square<unsigned>(in, n, thread_of_grid(), threads_of_grid());
}

static registered const here{of_squares<unsigned>(
    {
        .id = "squares/03_blocks",
        .title = "8 blocks of 64 threads, 512 sums finished on the host",
        .bound = "latency: too few loads in flight",
        .page = "version 1: 8 x 64",
        .grid = 8,
        .block = 64,
    },
    one_a_thread, [](problem const& p, int const* in, unsigned* out) {
      tally::launch(blocks, p.grid, p.block, 0, p.stream)(in, p.n, out);
    })};

}  // namespace ladder::squares
