// SPDX-License-Identifier: Apache-2.0
//
// A row read once, by a team of blocks: how many of its elements each class has, and which are in
// those that are wanted.
#pragma once

#include "tally/device/rows/row.cuh"
#include "tally/device/top_k/kth/chunk_turns.cuh"
#include "tally/device/top_k/kth/class_memory.cuh"
#include "tally/exact/rank_order.hpp"
#include "tally/warp/reduce.cuh"

namespace tally::device {

// A warp's list of elements in memory, as keys to count. It is narrowed to those that are asked for
// again, unless others go by their places.
template <class Bits, bool IsNarrowed = true>
struct listed_keys {
  Bits* list;
  unsigned count;
  rank_order<Bits> const& order;

  template <class F>
  __device__ void for_each(F f) {
    constexpr unsigned each = 8;  // that are asked for at once
    unsigned const lane = threadIdx.x % 32, before = (1u << lane) - 1;
    unsigned kept = 0;
#pragma unroll 1
    for (unsigned first = lane; first - lane < count; first += 32 * each) {
      Bits x[each];
#pragma unroll
      for (unsigned j = 0; j < each; ++j)
        x[j] = first + 32 * j < count ? list[first + 32 * j] : Bits(0);
      __syncwarp();  // what was read may be written over
#pragma unroll
      for (unsigned j = 0; j < each; ++j) {
        bool const is_kept = f(order(x[j]), first + 32 * j < count);
        if constexpr (!IsNarrowed) continue;
        unsigned const votes = __ballot_sync(~0u, is_kept);
        unsigned const to = kept + unsigned(__popc(votes & before));
        if (is_kept && to != first + 32 * j) list[to] = x[j];
        kept += unsigned(__popc(votes));
      }
    }
    if constexpr (IsNarrowed) count = kept;
    __syncwarp();
  }
};

// Counts the classes of a row's elements, and puts aside those that are wanted, into the warp's
// list, as far as it has room. Returns how many these are. By all threads of a team.
//
// A function of its own, which needs all registers, and has all that it reads in them.
template <class Row, class Index, class Classes>
__device__ __noinline__ unsigned classify(Row const row, unsigned rank, unsigned blocks,
                                          Classes const how, typename Row::bits* const list,
                                          std::uint64_t room, std::uint64_t* counts) {
  using bits = typename Row::bits;
  using reading = stretch<Row, Index, sizeof(bits) == 2 ? 1 : 2>;
  using batch = typename reading::batch;
  reading const all(row, 0, 1);
  constexpr Index of_batch = 32 * batch::items, of_pair = 2 * of_batch;
  Index const pairs = (all.end() + of_pair - 1) / of_pair;
  unsigned const lane = threadIdx.x % 32, before = (1u << lane) - 1;
  chunk_turns<Index> const turns(rank, blocks);
  auto const first_of = [&](Index pair) { return pair * of_pair + lane * batch::each; };
  Index at = turns.take(), next = turns.take();
  unsigned count = 0;
  batch x = all.load(first_of(at));
#pragma unroll 1
  while (at < pairs) {
    // One batch is on its way while the other is looked at.
    batch const y = all.load(first_of(at) + of_batch);
    unsigned found = how.count(x) & x.live;
    x = all.load(first_of(next));
    found |= (how.count(y) & y.live) << batch::items;
#pragma unroll 1
    while (__any_sync(~0u, found != 0)) {
      bits const e = found ? row[all.index(first_of(at), __ffs(int(found)) - 1)] : bits(0);
      unsigned const votes = __ballot_sync(~0u, found != 0 && how.keeps(e));
      unsigned const to = count + unsigned(__popc(votes & before));
      if ((votes >> lane & 1) && to < room) list[to] = e;
      count += unsigned(__popc(votes)), found &= found - 1;
    }
    at = next, next = turns.take();
  }
  auto const add = [&](unsigned c, std::uint64_t n) {
    __nv_atomic_fetch_add(counts + c, n, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  };
  // Places without elements were counted as if they held zeros.
  Index const dead = pairs * of_pair - row.count;
  if (rank == 0 && threadIdx.x == 0 && dead) add(how.class_of(bits(0)), std::uint64_t(0) - dead);
  if (lane == 0 && count > room) add(most_classes, 1);
  __syncthreads();
  for (unsigned c = threadIdx.x / 32; c < most_classes; c += warps_of_selecting) {
    unsigned const n = counts_of_lane()[row_of(c)];
    unsigned const wanted = c == class_of_nans ? 0 : counts_of_lane()[row_of(c, true)];
    unsigned const all = warp::all_reduce(n + wanted, plus{});
    if (lane == 0 && all) add(c, all);
  }
  return count;
}

}  // namespace tally::device
