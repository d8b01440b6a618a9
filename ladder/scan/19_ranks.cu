// SPDX-License-Identifier: Apache-2.0
//
// Rung 19: slices of many GPUs.
//
// Change:   the array is cut into slices, a rank each. A rank reduces its slice (the totals of its
//           blocks, then theirs) and tells all others what that is: an all-gather of a state each.
//           Then it scans its slice behind what the ranks before it come to. Here 4 ranks take
//           turns on one GPU, and the gather is memory that all of them see.
// Predict:  3 n moved, as rung 14, however many ranks there are: on one GPU its time and 10
//           launches more, of 2 us each. On p GPUs, of which each has a pth of the elements, a pth
//           of that and the latency of the gather, 10 to 20 us through NCCL: a scan of all on one
//           GPU moves 2 n, so that two GPUs are at best 4/3 as fast as one, and p of them 2/3 p.
// Measured: on an H200 65.5 us, rung 14's 26.5 and 3.9 a launch: 12 kernels end one after the
//           other, each of a quarter of the blocks' work. Tally's own scan of 2^32 elements on two
//           H200, each of which has half, takes 6.3 ms; of half of them on one 4.4 ms.
// Bytes:    n elements read twice, n results written; the states of all blocks and ranks.
#include "ladder/scan/reduce_then_scan.cuh"

namespace ladder::scan {

constexpr unsigned ranks = 4;

template <class Op>
__global__ void total_of_rank(typename Op::state const* totals, unsigned blocks,
                              typename Op::state* gathered, Op op) {
  auto const all = fold_in_block(totals, blocks, op);
  if (threadIdx.x == 0) *gathered = all;
}

template <class Op>
__global__ void scan_of_rank(typename Op::element const* in, std::size_t n, tile_range slice,
                             typename Op::state const* gathered, unsigned rank,
                             typename Op::state const* totals, typename Op::result* out, Op op) {
  auto const before = fold_in_block(gathered, rank, op);
  __syncthreads();  // the next fold is in the same shared memory
  scan_of_blocks(in, n, slice, before, totals, out, rank == ranks - 1 ? out + n : nullptr, op);
}

template <class Op>
void enqueue(problem const& p, Op op) {
  using state = typename Op::state;
  unsigned const block = whole_warps(p.block);
  std::size_t const bytes = tile<Op>::shared_bytes(block);
  auto* const gathered = static_cast<state*>(p.scratch);
  auto const totals = [&](unsigned rank) { return gathered + ranks + std::size_t{rank} * p.grid; };
  auto const slice = [&](unsigned rank) { return part_of({0, tiles_of(p)}, rank, ranks); };
  for (unsigned r = 0; r < ranks; ++r) {
    tally::launch(totals_of_blocks<Op>, p.grid, block, bytes, p.stream)(elements_of<Op>(p), p.n,
                                                                        slice(r), totals(r), op);
    tally::launch(total_of_rank<Op>, 1, block, 0, p.stream)(totals(r), p.grid, gathered + r, op);
  }
  for (unsigned r = 0; r < ranks; ++r)
    tally::launch(scan_of_rank<Op>, p.grid, block, bytes, p.stream)(
        elements_of<Op>(p), p.n, slice(r), gathered, r, totals(r), results_of<Op>(p), op);
}

static rung slices_of_ranks() {
  rung r = scan_rung(of_tiles({
                         .id = "scan/19_ranks",
                         .title = "Slices of many GPUs: a total each, then scans behind them",
                         .bound = "3 n moved where 2 n must be",
                     }),
                     [](problem const& p, auto op) { enqueue(p, op); });
  r.scratch_bytes = [](problem const& p) { return (p.grid + 1) * ranks * largest_state; };
  return r;
}

static registered const here{slices_of_ranks()};

}  // namespace ladder::scan
