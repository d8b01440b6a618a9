// SPDX-License-Identifier: Apache-2.0
//
// Rungs 3: a stride between lanes.
//
// Change:   of every 1, 2, 4, ... 32 numbers only the first is read, the threads taking turns.
// Predict:  memory moves whole sectors of 32 bytes: up to stride 8, reading less costs as much as
//           reading all. A load touches min(32, 4 * stride) sectors.
// Measured: on an H200, at 2^28 numbers, 429 us for stride 1, and 266, 239 and 236 for 2, 4 and 8.
//           Every sector is still read, but we take it that fewer loads a thread end sooner: this
//           loop waits for its loads. Then 234 for 16, 138 for 32.
// Bytes:    n / stride numbers; in sectors min(8, stride) times as many.
#include <string>
#include <vector>

#include "ladder/memory/memory.cuh"

namespace ladder::memory {

__global__ void strided(int const* in, std::size_t n, std::size_t stride, long long* out) {
  long long total = 0;
  for (std::size_t i = thread_of_grid(); i * stride < n; i += threads_of_grid()) {
    total += in[i * stride];
  }
  out[thread_of_grid()] = total;
}

static rung with_stride(std::size_t stride) {
  auto const number = std::to_string(stride);
  return of_reads(
      {
          .id = "memory/03_stride_" + std::string(2 - number.size(), '0') + number,
          .file = "ladder/memory/03_stride.cu",
          .title = "One of every " + number + " numbers",
          .bound = std::to_string(stride < 8 ? 4 * stride : 32) + " sectors a load",
          .page = "coalesced within 128 bytes, sectors of 32",
          .must_move = [=](problem const& p) { return (p.n + stride - 1) / stride * sizeof(int); },
      },
      [=](problem const& p, unsigned block, int const* in, long long* out) {
        tally::launch(strided, p.grid, block, 0, p.stream)(in, p.n, stride, out);
      },
      [=](std::size_t i) { return i % stride == 0; });
}

static registered const here{std::vector{with_stride(1), with_stride(2), with_stride(4),
                                         with_stride(8), with_stride(16), with_stride(32)}};

}  // namespace ladder::memory
