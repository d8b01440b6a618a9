// SPDX-License-Identifier: Apache-2.0
//
// How blocks scan an aggregate whose state is small: a state a thread, scanned over the block, and
// totals of tiles put together in groups. Which operands meet depends on the elements' places
// alone, so that an operator that rounds gives the same bits in every run.
#pragma once

#include <optional>

#include "tally/aggregate/aggregate.hpp"
#include "tally/aggregate/zipped.hpp"
#include "tally/block/scan.cuh"
#include "tally/device/grid/mailbox.cuh"
#include "tally/device/grid/tile_states.cuh"
#include "tally/device/identity.cuh"
#include "tally/device/input/staged_tile.cuh"

namespace tally::device {

// `A` has an identity. States are joined in index order, which a reverse scan meets from behind.
template <aggregate A>
struct plain_prefix {
  using element = typename A::element;
  using result = typename A::result;
  using state = typename A::state;
  static constexpr int threads = 256, blocks_a_multiprocessor = sizeof(state) <= 16 ? 4 : 1;
  static constexpr int words = words_of<state>;
  static constexpr int warps = threads / warp_size;

  struct shared {
    alignas(16) unsigned char of_warp[warps * sizeof(state)];
  };
  // All groups of 32 tiles below `groups`, and what comes before the first.
  struct carry {
    state value;
    std::uint32_t groups;
  };

  bool skips_nan, reverse;
  state before_all;
  A a;

  __device__ void start(carry& c, shared&) const { c = {before_all, 0}; }

  template <class Tile, class Results>
  __device__ void scan(carry& c, shared& s, mailbox const& at, Tile const& tile, Results& out,
                       result* total) const {
    items_of<element, Tile::items> x;
    tile.read(x);
    bool const all = tile.is_whole() && !(has_nan<element> && skips_nan);
    auto const every = [](int) { return true; };
    auto const counts = [&](int k) {
      if constexpr (has_nan<element>)
        if (skips_nan && is_nan(x[k])) return false;
      return tile.has(k);
    };
    state const mine = all ? fold(tile, x, every) : fold(tile, x, counts);
    state of_tile;
    state const here = block::exclusive_scan<threads>(mine, joiner{this}, a.identity(), of_tile);
    tile_states<state> const totals(at.words, at.epoch);
    if (!tile.is_last() && threadIdx.x == 0) totals.publish(tile.number, of_tile);
    state sum = join(tile.is_only() ? c.value : collect(c, s, totals, tile.number), here);
    sum = all ? results(tile, x, sum, every, out) : results(tile, x, sum, counts, out);
    unsigned const last = tile.count > 0 ? (tile.count - 1) / Tile::items : 0;
    if (tile.is_last() && total && threadIdx.x == last) *total = lower_or_none(a, sum);
  }

 private:
  __device__ state join(state const& earlier, state const& later) const {
    return reverse ? a.combine(later, earlier) : a.combine(earlier, later);
  }
  struct joiner {
    plain_prefix const* prefix;
    __device__ state operator()(state const& l, state const& r) const { return prefix->join(l, r); }
  };
  // The k-th element of the thread, which is there.
  template <class Tile, class Items>
  __device__ state lifted(Tile const& tile, Items const& x, int k) const {
    return a.lift(x[k], tile.first + tile.place(tile.position(k)));
  }
  template <class Tile, class Items, class Counts>
  __device__ state fold(Tile const& tile, Items const& x, Counts counts) const {
    state sum = a.identity();
#pragma unroll
    for (int k = 0; k < Tile::items; ++k)
      if (counts(k)) sum = join(sum, lifted(tile, x, k));
    return sum;
  }
  // The results, where `sum` comes before; returns what comes after.
  template <class Tile, class Items, class Counts, class Results>
  __device__ state results(Tile const& tile, Items const& x, state sum, Counts counts,
                           Results& out) const {
#pragma unroll
    for (int k = 0; k < Tile::items; ++k) {
      state const before = sum;
      if (counts(k)) sum = join(sum, lifted(tile, x, k));
      out.set(k, lower_or_none(a, tile.exclusive ? before : sum));
    }
    return sum;
  }

  // The fold of everything before the tile: first of the groups before its own, then of those tiles
  // of its group. A warp folds a group.
  __device__ state collect(carry& c, shared& s, tile_states<state> const& totals,
                           std::uint32_t tile) const {
    auto* const of_warp = reinterpret_cast<state*>(s.of_warp);
    unsigned const warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size;
    std::uint32_t const last = tile / warp_size;
    state before = c.value;
    while (c.groups <= last) {
      std::uint32_t const group = c.groups + warp, other = group * warp_size + lane;
      state mine = a.identity();
      if (group <= last && other < tile) mine = totals.await(other);
      __syncwarp();
      mine = warp::reduce(mine, joiner{this});
      if (lane == 0) of_warp[warp] = mine;
      __syncthreads();
      for (unsigned w = 0; w < warps && c.groups + w <= last; ++w) {
        state const next = join(before, of_warp[w]);
        if (c.groups + w < last) c.value = next;
        before = next;
      }
      __syncthreads();
      if (last - c.groups < warps) break;
      c.groups += warps;
    }
    c.groups = last;
    return before;
  }
};

template <aggregate A>
auto make_plain_prefix(A const& a, bool skips_nan, bool reverse,
                       std::optional<typename A::result> const& init) {
  auto const whole = ordered_on_device(a);
  using whole_type = std::remove_const_t<decltype(whole)>;
  auto before = whole.identity();
  if (init) {
    if constexpr (requires { a.start(*init); })
      before = start_state(whole, a.start(*init));
    else
      before = start_state(whole, a.lift(*init, 0));
  }
  return plain_prefix<whole_type>{skips_nan, reverse, before, whole};
}

}  // namespace tally::device
