// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ladder/scan/tile.cuh"

// What rungs 14 and 19 share: blocks that first say what their tiles come to, then scan them from
// what comes before.
namespace ladder::scan {

struct tile_range {
  std::size_t begin, end;
};

// The i-th of so many equal parts, of which the last ones may be short or empty.
__host__ __device__ inline tile_range part_of(tile_range all, unsigned i, unsigned parts) {
  std::size_t const each = (all.end - all.begin + parts - 1) / parts;
  auto const at = [&](std::size_t k) {
    std::size_t const place = all.begin + k * each;
    return place < all.end ? place : all.end;
  };
  return {at(i), at(i + 1)};
}

// What `count` states come to, in their order. All threads of a block call it together.
template <class Op>
__device__ typename Op::state fold_in_block(typename Op::state const* states, unsigned count,
                                            Op op) {
  unsigned const each = (count + blockDim.x - 1) / blockDim.x, begin = threadIdx.x * each;
  typename Op::state own = op.identity(), all;
  for (unsigned i = begin; i < begin + each && i < count; ++i) own = op(own, states[i]);
  exclusive_in_block(own, all, op);
  return all;
}

template <class Op>
__global__ void totals_of_blocks(typename Op::element const* in, std::size_t n, tile_range tiles,
                                 typename Op::state* totals, Op op) {
  tile_range const own = part_of(tiles, blockIdx.x, gridDim.x);
  typename Op::state all = op.identity(), of_tile;
  for (std::size_t number = own.begin; number < own.end; ++number) {
    tile<Op>(in, n, number, op).before(of_tile);
    all = number == own.begin ? of_tile : op(all, of_tile);
  }
  if (threadIdx.x == 0) totals[blockIdx.x] = all;
}

// Behind `before`, what comes before the first of the tiles; the last block leaves in *total what
// all up to its end come to.
template <class Op>
__device__ void scan_of_blocks(typename Op::element const* in, std::size_t n, tile_range tiles,
                               typename Op::state before, typename Op::state const* totals,
                               typename Op::result* out, typename Op::result* total, Op op) {
  tile_range const own = part_of(tiles, blockIdx.x, gridDim.x);
  typename Op::state carry = op(before, fold_in_block(totals, blockIdx.x, op)), of_tile;
  for (std::size_t number = own.begin; number < own.end; ++number) {
    tile<Op> here(in, n, number, op);
    auto const in_tile = here.before(of_tile);
    here.scan(op(carry, in_tile), out);
    carry = op(carry, of_tile);
  }
  if (total && blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) *total = op.finish(carry);
}

}  // namespace ladder::scan
