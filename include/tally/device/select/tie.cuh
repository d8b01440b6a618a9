// SPDX-License-Identifier: Apache-2.0
//
// The index of one of many equal elements, counted in the order of their indices.
#pragma once

#include "tally/device/select/cut.cuh"

namespace tally::device {

// Which elements of a tile are meant, a bit each, in the order of their indices.
struct tile_bits {
  std::uint32_t word[selecting_threads];
};

// Sets, in shared memory that is zero, the thread's bits of a tile.
template <class Row>
__device__ void set_bits(tile_bits& shared, unsigned mine) {
  using reading = stretch<Row, std::uint32_t>;
  unsigned const first =
      threadIdx.x / 32 * (32 * reading::items) + threadIdx.x % 32 * reading::each;
#pragma unroll
  for (int i = 0; i < reading::items; ++i) {
    unsigned const place =
        first + unsigned(i / reading::each * (32 * reading::each) + i % reading::each);
    if (mine >> i & 1) atomicOr(&shared.word[place / 32], 1u << place % 32);
  }
}

// Calls found(index) in one thread, for the `which`-th element in the block's stretch whose key is
// `key`, counted from 1; it is there.
template <class Row, class Index, class Found>
__device__ void find_tie(team& all, tile_bits& shared, Row const& row,
                         rank_order<typename Row::bits> const& order, typename Row::bits key,
                         Index which, Found found) {
  using reading = stretch<Row, Index>;
  std::uint64_t const mine =
      threadIdx.x / 32 * (32 * reading::items) + threadIdx.x % 32 * reading::each;
  Index left = which;  // 0: it is found
  reading(row, all).for_tiles([&](auto const& x, auto index) {
    if (left == 0) return;
    unsigned equal = 0;
#pragma unroll
    for (int i = 0; i < reading::items; ++i) equal |= unsigned(order(x.x[i]) == key) << i;
    equal &= x.live;
    std::uint32_t in_tile;
    block::inclusive_scan(std::uint32_t(__popc(equal)), plus{}, in_tile);
    if (in_tile < left) {
      left -= in_tile;
      return;
    }
    shared.word[threadIdx.x] = 0;
    __syncthreads();
    set_bits<Row>(shared, equal);
    __syncthreads();
    std::uint32_t word = shared.word[threadIdx.x];
    std::uint32_t const here = __popc(word), before = block::exclusive_scan(here, plus{}, 0u);
    if (before < left && left <= before + here) {
      for (auto skipped = std::uint32_t(left) - before; skipped > 1; --skipped) word &= word - 1;
      found(Index(index(0) - mine + 32 * threadIdx.x + unsigned(__ffs(int(word)) - 1)));
    }
    left = 0;
    __syncthreads();  // before the bits are used for another row
  });
}

}  // namespace tally::device
