// SPDX-License-Identifier: Apache-2.0
//
// Rung 1: one thread.
//
// Change:   nothing yet. Like the tutorial's int, the sum has 32 bits; being unsigned, it is right
//           modulo 2^32, where an int would overflow.
// Predict:  the latency of memory for every few elements.
// Measured: on an H200 37 ns a number, 24 from the L2 cache.
// Bytes:    n elements read.
#include "ladder/squares/squares.cuh"

namespace ladder::squares {

__global__ void one_thread(int const* in, std::size_t n, unsigned* out) {
  unsigned total = 0;
  for (std::size_t i = 0; i < n; ++i) total = add_square(total, in[i]);
  *out = total;
}

static registered const here{of_squares<unsigned>(
    {
        .id = "squares/01_one_thread",
        .title = "One thread",
        .bound = "latency: one chain of additions, few loads in flight",
        .page = "one thread",
        .fixed_shape = true,
        .timed_up_to = 1 << 22,
    },
    one, [](problem const& p, int const* in, unsigned* out) {
      tally::launch(one_thread, 1, 1, 0, p.stream)(in, p.n, out);
    })};

}  // namespace ladder::squares
