// SPDX-License-Identifier: Apache-2.0
//
// Rungs 4: an offset.
//
// Change:   rung 2, but for the first 0, 1 or 8 numbers, so that a warp's 128 bytes begin 0, 4 or
//           32 bytes behind a line of 128.
// Predict:  offset 1: a load touches 5 sectors, not 4, and 2 lines; the fifth is the next warp's
//           first and comes from the L1 or L2. Offset 8: 4 sectors again, of 2 lines. Hardly any
//           time.
// Measured: on an H200 nothing to be seen: 8.9 us for 0, 1 and 8.
// Bytes:    n numbers.
#include <string>
#include <vector>

#include "ladder/memory/memory.cuh"

namespace ladder::memory {

__global__ void from_offset(int const* in, std::size_t n, std::size_t offset, long long* out) {
  long long total = 0;
  for (std::size_t i = offset + thread_of_grid(); i < n; i += threads_of_grid()) total += in[i];
  out[thread_of_grid()] = total;
}

static rung with_offset(std::size_t offset) {
  auto const number = std::to_string(offset);
  return of_reads(
      {
          .id = "memory/04_offset_" + number,
          .file = "ladder/memory/04_offset.cu",
          .title = "From number " + number + " on",
          .bound = offset % 8 ? "reading: 5 sectors a load" : "reading: 4 sectors a load",
          .page = "aligned to 128 bytes",
          .must_move = [=](problem const& p) { return p.n > offset ? (p.n - offset) * 4 : 0; },
      },
      [=](problem const& p, unsigned block, int const* in, long long* out) {
        tally::launch(from_offset, p.grid, block, 0, p.stream)(in, p.n, offset, out);
      },
      [=](std::size_t i) { return i >= offset; });
}

static registered const here{std::vector{with_offset(0), with_offset(1), with_offset(8)}};

}  // namespace ladder::memory
