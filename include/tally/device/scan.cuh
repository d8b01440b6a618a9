// SPDX-License-Identifier: Apache-2.0
//
// Scans of whole arrays on a device by one kernel, with one read and one write: blocks draw tiles,
// publish a tile's total as soon as they know it, and add up the totals of the tiles since their
// last one. (Of the look-back of Merrill and Garland, 2016, the chain is left out: S. Maleki,
// A. Yang and M. Burtscher, "Higher-order and tuple-based massively-parallel prefix sums", PLDI
// 2016.) This file names no aggregate.
#pragma once

#include "tally/cuda/launch.cuh"
#include "tally/device/grid/mailbox.cuh"
#include "tally/device/grid/tickets.cuh"
#include "tally/device/input/staged_tile.cuh"

namespace tally::device {

template <class Prefix, class Source>
struct scan_call {
  Source in;
  std::uint64_t n;
  std::uint32_t tiles;  // at least one
  bool exclusive, reverse;
  typename Prefix::result *out, *total;  // `total` may be null
  workspace w;
  Prefix prefix;
};

template <class Prefix, class Source>
inline constexpr int tile_size_of =
    Prefix::threads * items_a_thread<typename Source::element, typename Prefix::result>;

// A tile's elements are in shared memory, then its results.
template <class Prefix, class Source>
inline constexpr std::size_t staged_bytes_of =
    tile_size_of<Prefix, Source> *
    std::max(sizeof(typename Source::element), sizeof(typename Prefix::result));

template <class Prefix, class Source>
__global__ void __launch_bounds__(Prefix::threads, Prefix::blocks_a_multiprocessor)
    scan_array(__grid_constant__ scan_call<Prefix, Source> const call) {
  using element = typename Source::element;
  using result = typename Prefix::result;
  constexpr int items = items_a_thread<element, result>, size = tile_size_of<Prefix, Source>;
  __shared__ typename Prefix::shared shared;
  alignas(16) __shared__ unsigned char staged[staged_bytes_of<Prefix, Source>];
  auto* const loaded = reinterpret_cast<element*>(staged);
  auto* const computed = reinterpret_cast<result*>(staged);

  Prefix const& prefix = call.prefix;
  await_launches_before();
  bool const alone = call.tiles == 1;
  tickets drawn(call.w, call.tiles);
  std::uint32_t number = alone ? 0 : drawn.first();
  mailbox const totals{call.w.words, nullptr, drawn.epoch()};
  typename Prefix::carry carry;
  prefix.start(carry, shared);
  while (number < call.tiles) {
    std::uint64_t const before = std::uint64_t(number) * size, left = call.n - before;
    auto const count = unsigned(left < size ? left : size);
    std::uint64_t const first = call.reverse ? left - count : before;
    load_tile<size>(call.in, first, count, loaded);
    __syncthreads();
    if (!alone) drawn.ask();
    staged_tile<element, items> const tile{loaded, first,        number,        call.tiles,
                                           count,  call.reverse, call.exclusive};
    items_of<result, items> out;
    prefix.scan(carry, shared, totals, tile, out, call.total);
    __syncthreads();  // the elements are used up
    tile.write(out, computed);
    __syncthreads();
    store_tile<size>(computed, count, call.out + first);
    number = alone ? 1 : drawn.next();
    __syncthreads();
  }
  let_next_launch_start();
  if (!alone) drawn.leave();
}

}  // namespace tally::device
