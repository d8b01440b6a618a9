// SPDX-License-Identifier: Apache-2.0
//
// Rungs 5: banks of shared memory.
//
// Change:   a warp brings a tile to shared memory, then each lane reads 1, 2, 4, ... 32 or 33
//           neighbours of it: at each step, the lanes' words are that far apart.
// Predict:  word w lies in bank w % 32, and a bank gives one word at a time. A stride that is a
//           power of two puts that many lanes into a bank, 32 all of them; 33 none: one word of
//           padding a row of 32 is the remedy. (Banks of 8 bytes were Kepler's; today's are of 4.)
// Measured: on an H100 the fewest conflicts are not the fastest. A tile is 32 times the stride, so
//           a small stride also has fewer loads in flight between two waits: stride 1 takes 13.8
//           us, 4, with its conflicts, 8.3. From there on conflicts decide: 14.6 for 16, 32.8 for
//           32, 10.0 for 33.
// Bytes:    n numbers, each through shared memory once.
#include <string>
#include <vector>

#include "ladder/memory/tile.cuh"

namespace ladder::memory {

__global__ void banks(int const* in, std::size_t n, unsigned stride, long long* out) {
  long long total = 0;
  unsigned const lane = threadIdx.x % 32;
  for_each_tile(in, n, 32 * stride, [&](int const* tile) {
    for (unsigned i = 0; i < stride; ++i) total += tile[lane * stride + i];
  });
  out[thread_of_grid()] = total;
}

static rung with_stride(unsigned stride) {
  auto const number = std::to_string(stride);
  return of_reads(
      {
          .id = "memory/05_banks_" + std::string(2 - number.size(), '0') + number,
          .file = "ladder/memory/05_banks.cu",
          .title = "Lanes " + number + " words apart in shared memory",
          .bound = stride % 2 ? "reading: no bank conflicts" : number + " lanes a bank",
          .page = "32 banks of 4 bytes",
      },
      [=](problem const& p, unsigned block, int const* in, long long* out) {
        tally::launch(banks, p.grid, block, tile_bytes(block, 32 * stride), p.stream)(in, p.n,
                                                                                      stride, out);
      });
}

static registered const here{std::vector{with_stride(1), with_stride(2), with_stride(4),
                                         with_stride(8), with_stride(16), with_stride(32),
                                         with_stride(33)}};

}  // namespace ladder::memory
