// SPDX-License-Identifier: Apache-2.0
//
// The elements behind a cut, in the order of their indices.
#pragma once

#include "tally/device/top_k/select/cut.cuh"

namespace tally::device {

// How many elements of a row are among the best, and those before the block's stretch of it.
template <class Index>
struct places {
  Index above, equal;  // before the stretch
  Index count;
};

// Two counts to be added up together.
template <class Index>
struct two_counts {
  Index above, equal;
};
struct plus_both {
  template <class Index>
  TALLY_FN two_counts<Index> operator()(two_counts<Index> a, two_counts<Index> b) const {
    return {Index(a.above + b.above), Index(a.equal + b.equal)};
  }
};

// By what each block tells the others of its team in `totals`, one a block.
template <class Bits, class Index>
__device__ places<Index> find_places(team& all, two_counts<Index>* totals,
                                     cut<Bits, Index> const& at) {
  two_counts<Index> before{0, 0}, total{at.above, at.equal};
  if (!all.is_alone()) {
    if (threadIdx.x == 0) totals[all.rank()] = total;
    all.meet();
    two_counts<Index> mine{0, 0}, others{0, 0};
    for (unsigned b = threadIdx.x; b < all.blocks(); b += blockDim.x) {
      others = plus_both{}(others, totals[b]);
      if (b < all.rank()) mine = plus_both{}(mine, totals[b]);
    }
    block::inclusive_scan(mine, plus_both{}, before);
    block::inclusive_scan(others, plus_both{}, total);
  }
  Index const tied = total.equal < at.ties ? total.equal : at.ties;
  return {before.above, before.equal, Index(total.above + tied)};
}

// What the warps of a block have found of a tile, in turn.
struct found_by_warps {
  std::uint32_t above[2][selecting_threads / 32], equal[2][selecting_threads / 32];
};

// Calls emit(place, bits, index) for each of the best elements, place < count; or for those at the
// cut alone, whose places begin behind before.above. Returns how many of the latter there are, as
// far as it has looked.
enum class gathers { all, ties };
template <gathers What = gathers::all, class Row, class Index, class Emit>
__device__ Index gather(team& all, found_by_warps& shared, Row const& row,
                        rank_order<typename Row::bits> const& order,
                        cut<typename Row::bits, Index> const& at, places<Index> before, Emit emit) {
  using reading = stretch<Row, Index>;
  reading const mine(row, all);
  unsigned const warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  unsigned turn = 0;
  mine.for_tiles_until([&](auto const& x, auto index) {
    // Which of the thread's are above the cut, and at it.
    unsigned is_above = 0, is_equal = 0;
#pragma unroll
    for (int i = 0; i < reading::items; ++i) {
      auto const key = order(x.x[i]);
      is_equal |= unsigned(key == at.low) << i;
      if (What == gathers::all) is_above |= unsigned(key > at.low) << i;
    }
    is_above &= x.live, is_equal &= at.ties ? x.live : 0;
    // Of each vector the counts of the lanes before, the two in half a word each.
    std::uint32_t first[reading::loads], total = 0;
    constexpr unsigned whole = (1u << reading::each) - 1;
    if (__any_sync(~0u, is_above | is_equal)) {
#pragma unroll
      for (int j = 0; j < reading::loads; ++j) {
        std::uint32_t const c = __popc(is_above >> (j * reading::each) & whole) |
                                __popc(is_equal >> (j * reading::each) & whole) << 16;
        std::uint32_t const through = warp::inclusive_scan(c, plus{});
        first[j] = total + through - c;
        total += warp::broadcast(through, 31);
      }
    }
    if (lane == 0)
      shared.above[turn][warp] = total & 0xffff, shared.equal[turn][warp] = total >> 16;
    __syncthreads();
    Index above = before.above, equal = before.equal;
#pragma unroll
    for (unsigned w = 0; w < selecting_threads / 32; ++w) {
      if (w == warp) above = before.above, equal = before.equal;
      before.above += shared.above[turn][w], before.equal += shared.equal[turn][w];
    }
    turn ^= 1;
    bool const ends = What == gathers::ties && before.equal >= at.ties;
    if (total == 0) return ends;
#pragma unroll
    for (int j = 0; j < reading::loads; ++j) {
      Index a = above + (first[j] & 0xffff), e = equal + (first[j] >> 16);
#pragma unroll
      for (int i = j * reading::each; i < (j + 1) * reading::each; ++i) {
        bool const ahead = is_above >> i & 1, ties = is_equal >> i & 1;
        Index const place = a + (e < at.ties ? e : at.ties);
        if (ahead || (ties && e < at.ties)) emit(place, x.x[i], Index(index(i)));
        a += ahead, e += ties;
      }
    }
    return ends;
  });
  return before.equal;
}

// Elements at a threshold, of which too many are alike to be put aside: the first `wanted` of them
// are placed behind `above` others. At least `seen` are there, none before the index `first`.
struct ties_to_gather {
  unsigned above, wanted, seen, first;

  // How far they reach if they lie as close as those that were seen.
  __device__ float reach(std::uint64_t count) const {
    return float(count - first) / float(seen) * float(wanted);
  }
};

// From the row again, from where they begin: by one block where they are close, or there is no
// other, and else or then by the team, twice as far each time. Apart from the rest, which need not
// leave it registers.
template <class Row, class Index, class Emit>
__device__ __noinline__ void gather_ties(team& all, found_by_warps& warps,
                                         two_counts<Index>* totals, Row const row,
                                         rank_order<typename Row::bits> const& order,
                                         typename Row::bits least, ties_to_gather ties,
                                         Emit const emit) {
  using reading = stretch<Row, Index>;
  std::uint64_t const tile = reading::tile;
  std::uint64_t from = ties.first, size;
  auto const rest = [&] { return row.part(from, row.count - from); };
  if (from >= rest().lead()) from -= rest().lead();  // a vector begins here
  // Of so many places, so that blocks of a team have a tile each.
  auto const part = [&] {
    auto const all_left = rest();
    return all_left.part(0, min(std::uint64_t(all_left.count), size - all_left.lead()));
  };
  auto const gather_by = [&](team& by, Index here, places<Index> before) {
    before.above = ties.above;
    cut<typename Row::bits, Index> const at{least, Index(ties.wanted), 0, here};
    return gather<gathers::ties>(
        by, warps, part(), order, at, before,
        [&](Index place, auto x, Index index) { emit(place, x, Index(from + index)); });
  };
  __syncthreads();
  float const near = 2 * ties.reach(row.count);
  if (all.is_alone() || near < float(16 * tile)) {
    size = all.is_alone() ? rest().lead() + rest().count : (std::uint64_t(near) / tile + 1) * tile;
    Index found = 0;
    if (all.rank() == 0) {
      team one = team::of_one();
      found = gather_by(one, 0, {});
      if (!all.is_alone() && threadIdx.x == 0) totals->equal = found;
    }
    all.meet();
    if (!all.is_alone()) found = totals->equal;
    if (found >= ties.wanted) return;
    ties.above += unsigned(found), ties.wanted -= unsigned(found);
    all.meet();  // the total is read
    from += part().count;
  }
  size = all.blocks() * tile;
#pragma unroll 1
  for (; from < row.count; from += part().count, size *= 2) {
    unsigned mine = 0, found;
    reading(part(), all).for_tiles([&](auto const& x, auto) {
#pragma unroll
      for (int i = 0; i < reading::items; ++i) mine += (x.live >> i & 1) && order(x.x[i]) == least;
    });
    block::inclusive_scan(mine, plus{}, found);
    auto const before = find_places(
        all, totals, cut<typename Row::bits, Index>{least, Index(ties.wanted), 0, Index(found)});
    if (before.equal < ties.wanted) gather_by(all, Index(found), before);
    if (before.count >= ties.wanted) return;
    ties.above += unsigned(before.count), ties.wanted -= unsigned(before.count);
    all.meet();  // the totals are read
  }
}

}  // namespace tally::device
