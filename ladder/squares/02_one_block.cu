// SPDX-License-Identifier: Apache-2.0
//
// Rung 2: one block of 512 threads.
//
// Change:   the threads take turns, and each leaves its sum for the host to add up.
// Predict:  512 times the loads in flight, and a warp reads whole sectors: some hundreds of times
//           rung 1 (the tutorial found 493). One SM of the chip works.
// Measured: on an H200 50 times, 75 with the data in the L2 cache. We take it that one thread gains
//           most from the L1 cache, which the tutorial's GPU did not have for such loads.
// Bytes:    n elements read, 512 sums written and copied to the host.
#include "ladder/squares/squares.cuh"

namespace ladder::squares {

__global__ void one_block(int const* in, std::size_t n, unsigned* out) {
  out[threadIdx.x] = every_nth_square<unsigned>(in, n, threadIdx.x, blockDim.x);
}

static registered const here{of_squares<unsigned>(
    {
        .id = "squares/02_one_block",
        .title = "One block of 512 threads",
        .bound = "latency: the loads that one SM has in flight",
        .page = "1 x 512, about 493 times one thread",
        .block = 512,
        .fixed_shape = true,
    },
    one_a_thread, [](problem const& p, int const* in, unsigned* out) {
      tally::launch(one_block, 1, p.block, 0, p.stream)(in, p.n, out);
    })};

}  // namespace ladder::squares
