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
#include "ladder/scan/tile.cuh"

namespace ladder::scan {

// The tiles of the calling block.
struct share {
  std::size_t begin, end;
  __device__ explicit share(std::size_t tiles) {
    std::size_t const each = (tiles + gridDim.x - 1) / gridDim.x;
    begin = blockIdx.x * each < tiles ? blockIdx.x * each : tiles;
    end = begin + each < tiles ? begin + each : tiles;
  }
};

template <class Op>
__global__ void totals_of_blocks(typename Op::element const* in, std::size_t n, std::size_t tiles,
                                 typename Op::state* totals, Op op) {
  share const own(tiles);
  typename Op::state all = op.identity(), of_tile;
  for (std::size_t number = own.begin; number < own.end; ++number) {
    tile<Op>(in, n, number, op).before(of_tile);
    all = number == own.begin ? of_tile : op(all, of_tile);
  }
  if (threadIdx.x == 0) totals[blockIdx.x] = all;
}

// What the blocks before the calling one come to.
template <class Op>
__device__ typename Op::state before_block(typename Op::state const* totals, Op op) {
  unsigned const each = (blockIdx.x + blockDim.x - 1) / blockDim.x, begin = threadIdx.x * each;
  typename Op::state own = op.identity(), all;
  for (unsigned i = begin; i < begin + each && i < blockIdx.x; ++i) own = op(own, totals[i]);
  exclusive_in_block(own, all, op);
  return all;
}

template <class Op>
__global__ void scan_of_blocks(typename Op::element const* in, std::size_t n, std::size_t tiles,
                               typename Op::state const* totals, typename Op::result* out, Op op) {
  share const own(tiles);
  typename Op::state carry = before_block(totals, op), of_tile;
  for (std::size_t number = own.begin; number < own.end; ++number) {
    tile<Op> here(in, n, number, op);
    auto const before = here.before(of_tile);
    here.scan(op(carry, before), out);
    carry = op(carry, of_tile);
  }
  if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) out[n] = op.finish(carry);
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
                           elements_of<Op>(p), p.n, tiles, totals, op);
                       tally::launch(scan_of_blocks<Op>, p.grid, block, bytes, p.stream)(
                           elements_of<Op>(p), p.n, tiles, totals, results_of<Op>(p), op);
                     });
  r.scratch_bytes = [](problem const& p) { return p.grid * largest_state; };
  return r;
}

static registered const here{reduce_then_scan()};

}  // namespace ladder::scan
