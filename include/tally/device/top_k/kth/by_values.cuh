// SPDX-License-Identifier: Apache-2.0
//
// The keys at any ranks of a row of bytes by one read, by a team of blocks: how often each value
// is there. And the element at one rank with its index, for which little is read again.
#pragma once

#include "tally/device/rows/arena.hpp"
#include "tally/device/rows/team_reduce.cuh"
#include "tally/device/top_k/kth/by_splitters.cuh"

namespace tally::device {

inline constexpr unsigned byte_values = 256;

// What the threads of a block share: a value has a count for each lane, so that no two of a warp
// meet at one.
template <class Index>
struct value_board {
  std::uint32_t counts[byte_values * 32];
  Index dead;  // places without elements that the block has counted as zeros
  class_counts<Index, byte_values> of_keys;
  // Which block's stretch has the element that is looked for, and which of its equals there it is.
  unsigned owner;
  Index rank;
};

// Adds to counts[key] how many elements have it; they are zero, which all blocks know. By all
// threads of the team. The key at a rank is then of_keys.class_of(rank).
template <class Row, class Index>
__device__ void count_values(team& all, value_board<Index>& shared, std::uint64_t* counts,
                             Row const& row, rank_order<std::uint8_t> const& order) {
  for (unsigned i = threadIdx.x; i < 32 * byte_values; i += selecting_threads) shared.counts[i] = 0;
  __syncthreads();
  stretch<Row, Index> const part(row, all);
  Index places = 0;
  part.for_tiles([&](auto const& x, auto) {
#pragma unroll
    for (int i = 0; i < part.items; ++i)
      atomicAdd(&shared.counts[x.x[i] * 32 + threadIdx.x % 32], 1u);
    places += part.items;
  });
  block::inclusive_scan<selecting_threads>(places, plus{}, places);
  if (threadIdx.x == 0) shared.dead = places - part.size();
  __syncthreads();
  for (unsigned v = threadIdx.x / 32; v < byte_values; v += selecting_threads / 32) {
    std::uint64_t n = warp::all_reduce(shared.counts[v * 32 + threadIdx.x % 32], plus{});
    if (v == 0) n -= shared.dead;
    if (threadIdx.x % 32 == 0 && n)
      __nv_atomic_fetch_add(counts + order(std::uint8_t(v)), n, __NV_ATOMIC_RELAXED,
                            __NV_THREAD_SCOPE_DEVICE);
  }
  all.meet();
  shared.of_keys.add_up(counts);
}

// What a team has in global memory to find keys so.
template <class Index>
struct value_memory {
  std::uint64_t* counts;  // of keys
  Index* of_blocks;       // how often each block has seen the value that is looked for

  TALLY_FN value_memory(arena& from, unsigned blocks, std::uint64_t, unsigned)
      : counts(from.take<std::uint64_t>(byte_values)), of_blocks(from.take<Index>(blocks)) {}
};

template <class Row, class Index>
__device__ void count_values(team& all, value_board<Index>& shared,
                             value_memory<Index> const& memory, Row const& row,
                             rank_order<std::uint8_t> const& order) {
  for (unsigned v = all.thread(); v < byte_values; v += all.threads()) memory.counts[v] = 0;
  all.meet();
  count_values(all, shared, memory.counts, row, order);
}

// Calls put(bits, index) for the k-th, counted from 1, of the elements at `first` and behind that
// have a value, by one thread of the team. So many elements are looked at.
template <class Row, class Index, class Put>
__device__ void put_nth_of_value(team& all, exchange& told, Row const& row, Index first, Index size,
                                 std::uint8_t value, Index k, Put put) {
  Index const each = (size + all.threads() - 1) / all.threads();
  Index const begin = all.thread() * each < size ? all.thread() * each : size;
  Index const end = size - begin < each ? size : begin + each;
  Index mine = 0, of_block;
  for (Index i = begin; i < end; ++i) mine += row[first + i] == value;
  Index before = block::inclusive_scan<selecting_threads>(mine, plus{}, of_block) - mine;
  before += told.fold(all, mine, Index(0), plus{}).before;
  if (k <= before || k > before + mine) return;
  Index left = k - before;
  for (Index i = begin; i < end; ++i)
    if (row[first + i] == value && --left == 0) return put(value, first + i);
}

// Calls it for the element at rank k of a row, k <= row.count.
template <class Row, class Index, class Put>
__device__ void put_kth_by_values(team& all, exchange& told, value_board<Index>& shared,
                                  value_memory<Index> const& memory, Row const& row,
                                  rank_order<std::uint8_t> const& order, Index k, Put put) {
  count_values(all, shared, memory, row, order);
  unsigned const key = shared.of_keys.class_of(k);
  std::uint8_t const value = order.element_of(std::uint8_t(key));
  k -= shared.of_keys.above[key];
  Index const here = warp::all_reduce(shared.counts[value * 32 + threadIdx.x % 32], plus{});
  // Of zeros, places without elements are counted, too: before the first, or behind the last.
  Index const dead = value == 0 ? shared.dead : Index(0);
  if (threadIdx.x == 0) memory.of_blocks[all.rank()] = here - dead;
  all.meet();
  // In whose stretch it is; no team has more blocks than a block has threads.
  Index const there = threadIdx.x < all.blocks() ? __ldcg(memory.of_blocks + threadIdx.x) : 0;
  Index const through = block::inclusive_scan<selecting_threads>(there, plus{});
  if (through - there < k && k <= through)
    shared.owner = threadIdx.x, shared.rank = k - (through - there);
  __syncthreads();
  stretch<Row, Index> const part(row, shared.owner, all.blocks());
  Index const first = part.begin() < row.lead() ? Index(0) : part.index_of(part.begin());
  put_nth_of_value(all, told, row, first, part.size(), value, shared.rank, put);
}

}  // namespace tally::device
