// SPDX-License-Identifier: Apache-2.0
//
// Rung 14: reduce, then scan.
//
// Change:   any n, by carries between blocks. Each block has some tiles in a row. A first launch
//           reduces what each block has; in a second one each block adds up the totals of the
//           blocks before it and scans its tiles from there. Within a tile each thread folds 11
//           elements, rung 12 scans the threads, each thread goes through its elements again.
// Predict:  3 n moved where 2 n must be: at best two thirds of the ceiling, for arrays that the L2
//           cache does not hold until they are read again. About 4 n applications.
// Measured: on an H200 26.5 us: so short an array is in the L2 cache when it is read again. At 2^28
//           elements 1,831 us, 1.19 times rung 16.
// Bytes:    n elements read twice, n results written; a state a block written, and read by all
//           blocks behind it.
#include "ladder/scan/reduce_then_scan.cuh"

namespace ladder::scan {

template <class Op>
__global__ void scan_of_all_blocks(typename Op::element const* in, std::size_t n, std::size_t tiles,
                                   typename Op::state const* totals, typename Op::result* out,
                                   Op op) {
  scan_of_blocks(in, n, {0, tiles}, op.identity(), totals, out, out + n, op);
}

static rung reduce_then_scan() {
  rung r = scan_rung(of_tiles({
                         .id = "scan/14_reduce_then_scan",
                         .title = "Any n: reduce, then scan",
                         .bound = "3 n moved where 2 n must be",
                     }),
                     [](problem const& p, auto op) {
                       using Op = decltype(op);
                       unsigned const block = whole_warps(p.block);
                       std::size_t const bytes = tile<Op>::shared_bytes(block), tiles = tiles_of(p);
                       auto* const totals = static_cast<typename Op::state*>(p.scratch);
                       tally::launch(totals_of_blocks<Op>, p.grid, block, bytes, p.stream)(
                           elements_of<Op>(p), p.n, {0, tiles}, totals, op);
                       tally::launch(scan_of_all_blocks<Op>, p.grid, block, bytes, p.stream)(
                           elements_of<Op>(p), p.n, tiles, totals, results_of<Op>(p), op);
                     });
  r.scratch_bytes = [](problem const& p) { return p.grid * largest_state; };
  return r;
}

static registered const here{reduce_then_scan()};

}  // namespace ladder::scan
