// SPDX-License-Identifier: Apache-2.0
//
// A stable sort of pairs in global memory by a team: a byte of the key at a time, from the lowest.
#pragma once

#include "tally/device/top_k/select/cut.cuh"
#include "tally/warp/shuffle.cuh"

namespace tally::device {

inline constexpr int sort_digits = 256;

template <class Bits, class Index>
struct key_pairs {
  Bits* keys;
  Index* indices;
};

// What the threads of a block share while they sort.
template <class Index>
struct sort_board {
  static constexpr int warps = selecting_threads / 32;
  Index next[sort_digits];            // where the block's next pair of a digit goes
  Index of_warp[warps][sort_digits];  // and a warp's, of a tile
  std::uint32_t counts[sort_digits];
};

template <class Bits>
__device__ unsigned sort_digit(Bits key, int shift) {
  return unsigned(Bits(~key) >> shift) & 255u;
}

// Finds where the block's pairs of each digit go, by what blocks tell one another in `told`. Says
// whether all the team's have the same digit.
template <class Bits, class Index>
__device__ bool find_next(team& all, sort_board<Index>& shared, Index* told, Bits const* keys,
                          Index begin, Index end, Index count, int shift) {
  if (threadIdx.x < sort_digits) shared.counts[threadIdx.x] = 0;
  __syncthreads();
  for (Index i = begin + threadIdx.x; i < end; i += blockDim.x)
    atomicAdd(&shared.counts[sort_digit(keys[i], shift)], 1u);
  __syncthreads();
  if (!all.is_alone()) {
    if (threadIdx.x < sort_digits)
      told[threadIdx.x * all.blocks() + all.rank()] = shared.counts[threadIdx.x];
    all.meet();
  }
  Index before = 0, total = 0;
  if (threadIdx.x < sort_digits) {
    if (all.is_alone())
      total = shared.counts[threadIdx.x];
    else
      for (unsigned b = 0; b < all.blocks(); ++b) {
        Index const n = told[threadIdx.x * all.blocks() + b];
        if (b < all.rank()) before += n;
        total += n;
      }
  }
  Index const first = block::exclusive_scan(total, plus{}, Index(0));
  if (threadIdx.x < sort_digits) shared.next[threadIdx.x] = first + before;
  return __syncthreads_or(total == count);
}

// Sorts `count` pairs so that larger keys come first. Returns where they are then: in `from` or in
// `to`. `counts` has 2 * sort_digits places for each block.
template <class Bits, class Index>
__device__ key_pairs<Bits, Index> sort_pairs(team& all, sort_board<Index>& shared, Index* counts,
                                             key_pairs<Bits, Index> from, key_pairs<Bits, Index> to,
                                             Index count) {
  Index const share = (count + all.blocks() - 1) / all.blocks();
  Index const begin = Index(all.rank()) * share < count ? Index(all.rank()) * share : count;
  Index const end = begin + share < count ? begin + share : count;
  unsigned const warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#pragma unroll 1
  for (int shift = 0; shift < 8 * int(sizeof(Bits)); shift += 8) {
    Index* const told = counts + (shift / 8 % 2) * (sort_digits * all.blocks());
    if (find_next(all, shared, told, from.keys, begin, end, count, shift)) continue;
#pragma unroll 1
    for (Index base = begin; base < end; base += blockDim.x) {
      for (int d = int(lane); d < sort_digits; d += 32) shared.of_warp[warp][d] = 0;
      __syncwarp();
      Index const i = base + threadIdx.x;
      bool const there = i < end;
      Bits const key = there ? from.keys[i] : Bits(0);
      unsigned const digit = there ? sort_digit(key, shift) : sort_digits;
      unsigned const same = __match_any_sync(~0u, digit);
      unsigned const rank = __popc(same & ((1u << lane) - 1));
      if (there && rank == 0) shared.of_warp[warp][digit] = __popc(same);
      __syncthreads();
      if (threadIdx.x < sort_digits) {
        Index at = shared.next[threadIdx.x];
#pragma unroll
        for (int w = 0; w < shared.warps; ++w) {
          Index const n = shared.of_warp[w][threadIdx.x];
          shared.of_warp[w][threadIdx.x] = at;
          at += n;
        }
        shared.next[threadIdx.x] = at;
      }
      __syncthreads();
      if (there) {
        Index const place = shared.of_warp[warp][digit] + rank;
        to.keys[place] = key, to.indices[place] = from.indices[i];
      }
      __syncwarp();
    }
    auto const last = from;
    from = to, to = last;
    all.meet();
  }
  return from;
}

}  // namespace tally::device
