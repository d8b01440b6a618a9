// SPDX-License-Identifier: Apache-2.0
//
// Rung 6: a broadcast.
//
// Change:   at each step all lanes read the same word of the tile, so each adds up all of it.
// Predict:  one word is read and given to all: no conflict, as the tutorial says. 32 times as many
//           reads of shared memory as there are numbers.
// Measured: on an H200 25.9 us, of which reading is a third: with no conflicts, 32 reads behind one
//           another for each number that is brought.
// Bytes:    n numbers.
#include "ladder/memory/tile.cuh"

namespace ladder::memory {

// What a lane adds up of a row of 32 numbers: at each step, the word that all lanes read.
template <class Row>
__device__ long long total_of_row(Row row) {
  long long total = 0;
  for (unsigned i = 0; i < 32; ++i) total += row[i];
  return total;
}

__global__ void broadcast(int const* in, std::size_t n, long long* out) {
  long long total = 0;
  for_each_tile(in, n, {.rows = 1}, [&](int const* tile) { total += total_of_row(tile); });
  out[thread_of_grid()] = total;
}

static registered const here{of_reads(
    {
        .id = "memory/06_broadcast",
        .title = "All lanes read the same word",
        .bound = "reads of shared memory, without conflicts",
        .page = "a broadcast",
    },
    [](problem const& p, unsigned block, int const* in, long long* out) {
      tally::launch(broadcast, p.grid, block, tile_bytes(block, {.rows = 1}), p.stream)(in, p.n,
                                                                                        out);
    },
    [](std::size_t) { return 32; })};

}  // namespace ladder::memory
