// SPDX-License-Identifier: Apache-2.0
//
// Rung 2: interleaved.
//
// Change:   the threads take turns: at each step, a warp reads 32 neighbours.
// Predict:  4 sectors a load, all of their bytes used: coalesced. An eighth of rung 1's sectors.
// Measured: on an H200 8.8 us after rung 1's 10.9, no eighth: the caches keep what rung 1 asks for
//           again. With all data in the L2 cache 4.4 after 10.2; at 2^28 numbers 427 after 1,065.
// Bytes:    n numbers.
#include "ladder/memory/readers.cuh"

namespace ladder::memory {

template <class Read>
__global__ void interleaved(Read read, std::size_t n, long long* out) {
  long long total = 0;
  for (std::size_t i = thread_of_grid(); i < n; i += threads_of_grid()) total += read(i);
  out[thread_of_grid()] = total;
}

static registered const here{of_reads(
    {
        .id = "memory/02_interleaved",
        .title = "Interleaved: a warp reads neighbours",
        .bound = "reading: 4 sectors a load",
        .page = "neighbouring threads, neighbouring numbers: coalesced",
        .draw = [](problem const&) { return draw_3_threads(interleaved<with_notes>); },
    },
    [](problem const& p, unsigned block, int const* in, long long* out) {
      tally::launch(interleaved<quietly>, p.grid, block, 0, p.stream)({in}, p.n, out);
    })};

}  // namespace ladder::memory
