// SPDX-License-Identifier: Apache-2.0
//
// Rung 7: timed from inside.
//
// Change:   thread 0 of each block reads its SM's cycle counter, of 64 bits, before and after. The
//           counters of two SMs need not start together: only a difference on one SM is a duration,
//           so max(end) - min(begin) over all blocks, as the tutorial takes it, is none.
// Predict:  the blocks take about as long as each other, and a little less than the events around
//           the call say, which see the launch too.
// Measured: on an H200 778 us, as rung 6: reading clocks is not seen. Blocks differ by 3 %.
//           The counters of eight SMs began within 21 cycles of each other there, so that the
//           page's difference is one, after all; nothing promises that of another GPU.
// Bytes:    n elements read, 8 sums and 8 pairs of counts written.
#include <vector>

#include "ladder/squares/block_times.hpp"
#include "ladder/squares/tree.cuh"

namespace ladder::squares {

using wide = unsigned long long;

__global__ void clocked(int const* in, std::size_t n, wide* out, cycles* blocks) {
  long long const begin = clock64();
  auto const mine = every_nth_square<wide>(in, n, thread_of_grid(), threads_of_grid());
  auto const total = tree_total(mine, tally::dynamic_shared<wide>());
  if (threadIdx.x != 0) return;  // the tree's barriers waited for every warp of the block
  out[blockIdx.x] = total;
  blocks[blockIdx.x] = {begin, clock64()};
}

static void enqueue(problem const& p, int const* in, wide* out) {
  tally::launch(clocked, p.grid, p.block, p.block * sizeof(wide), p.stream)(
      in, p.n, out, static_cast<cycles*>(p.scratch));
}

static float event_milliseconds(problem const& p) {
  cudaEvent_t before, after;
  float milliseconds = 0;
  tally::check(cudaEventCreate(&before));
  tally::check(cudaEventCreate(&after));
  tally::check(cudaEventRecord(before, p.stream));
  enqueue(p, static_cast<int const*>(p.in), static_cast<wide*>(p.out));
  tally::check(cudaEventRecord(after, p.stream));
  tally::check(cudaEventSynchronize(after));
  tally::check(cudaEventElapsedTime(&milliseconds, before, after));
  tally::check(cudaEventDestroy(before));
  tally::check(cudaEventDestroy(after));
  return milliseconds;
}

static std::vector<std::string> draw(problem const& p) {
  float const milliseconds = event_milliseconds(p);
  std::vector<cycles> blocks(p.grid);
  tally::check(
      cudaMemcpy(blocks.data(), p.scratch, blocks.size() * sizeof(cycles), cudaMemcpyDeviceToHost));
  return draw_block_times(blocks, milliseconds * 1e3);
}

static rung clocked_rung() {
  rung r = of_squares<wide>(
      {
          .id = "squares/07_clocked",
          .title = "Timed from inside, a block at a time",
          .bound = "latency: too few loads in flight",
          .page = "clock() in the kernel",
          .grid = 8,
          .block = 64,
      },
      one_a_block, enqueue);
  r.scratch_bytes = [](problem const& p) { return p.grid * sizeof(cycles); };
  r.draw = draw;
  r.draws_times = true;
  return r;
}

static registered const here{clocked_rung()};

}  // namespace ladder::squares
