// SPDX-License-Identifier: Apache-2.0
//
// Rung 1: a contiguous chunk a thread.
//
// Change:   nothing yet: each thread reads its own neighbours, as on a CPU.
// Predict:  the lanes of a warp are a chunk apart, so a load touches 32 sectors of 32 bytes for 32
//           numbers of 4. The other 7 of each sector are hoped to be in the L1 when their turn
//           comes.
// Measured: on an H200 10.9 us for 4,194,304 numbers, where a chunk is 64 bytes and the caches keep
//           much of what is asked for again; at 2^28, where it is 4 KB, 1,065 us.
// Bytes:    n numbers; 8 times as many in sectors asked for.
#include "ladder/memory/readers.cuh"

namespace ladder::memory {

template <class Read>
__global__ void contiguous(Read read, std::size_t n, long long* out) {
  std::size_t const chunk = (n + threads_of_grid() - 1) / threads_of_grid();
  std::size_t const begin = thread_of_grid() * chunk;
  long long total = 0;
  for (std::size_t i = begin; i < begin + chunk && i < n; ++i) total += read(i);
  out[thread_of_grid()] = total;
}

static registered const here{of_reads(
    {
        .id = "memory/01_contiguous",
        .title = "A contiguous chunk a thread",
        .bound = "32 sectors a load",
        .page = "each thread its own part: not coalesced",
        .draw = [](problem const&) { return draw_3_threads(contiguous<with_notes>); },
    },
    [](problem const& p, unsigned block, int const* in, long long* out) {
      tally::launch(contiguous<quietly>, p.grid, block, 0, p.stream)({in}, p.n, out);
    })};

}  // namespace ladder::memory
