// SPDX-License-Identifier: Apache-2.0
//
// The k best different values of each row, or of rows that another way has left, each at its first
// index: by a stable sort of the whole row, in which the first of equal keys is the first by index.
#pragma once

#include "tally/cuda/launch.cuh"
#include "tally/device/rows/arena.hpp"
#include "tally/device/top_k/distinct/among_best.cuh"
#include "tally/device/top_k/rows.cuh"
#include "tally/device/top_k/select/gather.cuh"
#include "tally/device/top_k/select/sort.cuh"

namespace tally::device {

// What a team keeps in global memory, of rows of up to `length` elements.
template <class Bits, class Index>
struct sorted_memory {
  Index* counts;                     // of digits
  two_counts<Index>* totals;         // of blocks
  key_pairs<Bits, Index> pairs[2];   // of the row
  key_pairs<Index, Index> found[2];  // of the best, where they are to be put by index

  TALLY_FN sorted_memory(arena& from, unsigned blocks, std::uint64_t length, std::uint64_t by_index)
      : counts(from.take<Index>(2 * std::size_t(sort_digits) * blocks)),
        totals(from.take<two_counts<Index>>(blocks)) {
    for (auto& each : pairs) each = {from.take<Bits>(length), from.take<Index>(length)};
    for (auto& each : found) each = {from.take<Index>(by_index), from.take<Index>(by_index)};
  }
};

template <class In, class Index>
struct distinct_call : top_k_request<In> {
  using bits = typename top_k_request<In>::bits;

  row_list of;  // the rows; or null: all
  unsigned blocks, teams;
  workspace w;
  std::byte* scratch;          // of the teams
  std::uint64_t memory_bytes;  // of each

  TALLY_FN std::uint64_t by_index() const { return this->how.sorted ? 0 : this->how.most; }
};

// Calls emit(place, index) for the first of each run of equal keys, as long as the place is below
// k. Keys of 0 are left out where `skips`. Returns how many there are.
template <class Bits, class Index, class Emit>
__device__ Index find_firsts(team& all, two_counts<Index>* totals,
                             key_pairs<Bits, Index> const& sorted, Index count, Index k, bool skips,
                             Emit emit) {
  Index const share = (count + all.blocks() - 1) / all.blocks();
  Index const begin = Index(all.rank()) * share < count ? Index(all.rank()) * share : count;
  Index const end = begin + share < count ? begin + share : count;
  auto const is_first = [&](Index i) {
    Bits const key = sorted.keys[i];
    return !(skips && key == 0) && (i == 0 || sorted.keys[i - 1] != key);
  };
  Index mine = 0, here;
  for (Index i = begin + threadIdx.x; i < end; i += selecting_threads) mine += is_first(i);
  block::inclusive_scan(mine, plus{}, here);
  auto const before = find_places(all, totals, cut<Bits, Index>{0, 0, here, 0});
  Index place = before.above;
#pragma unroll 1
  for (Index base = begin; base < end && place < k; base += selecting_threads) {
    Index const i = base + threadIdx.x;
    Index const first = i < end && is_first(i);
    Index total;
    Index const through = block::inclusive_scan(first, plus{}, total);
    if (first && place + through - 1 < k) emit(Index(place + through - 1), sorted.indices[i]);
    place += total;
  }
  return before.count < k ? before.count : k;
}

// Puts out the firsts of `count` pairs of a row, of equal keys by index, which `room` has.
template <class Call, class Row, class Index>
__device__ Index put_firsts(Call const& call, team& all, sort_board<Index>& board,
                            sorted_memory<typename Row::bits, Index> const& room, Row const& row,
                            std::uint64_t number, Index count, Index k) {
  std::uint64_t const first = number * call.how.most;
  auto const out = [&](Index place, Index index) {
    call.how.put(first + place, row[index], std::int64_t(index));
  };
  auto const sorted = sort_pairs(all, board, room.counts, room.pairs[0], room.pairs[1], count);
  if (call.how.sorted)
    return find_firsts(all, room.totals, sorted, count, k, call.order.skips, out);
  Index const found = find_firsts(all, room.totals, sorted, count, k, call.order.skips,
                                  [&](Index place, Index index) {
                                    room.found[0].keys[place] = Index(~index);
                                    room.found[0].indices[place] = index;
                                  });
  all.meet();
  auto const by_index = sort_pairs(all, board, room.counts, room.found[0], room.found[1], found);
  for (Index i = all.thread(); i < found; i += all.threads()) out(i, by_index.indices[i]);
  return found;
}

template <class In, class Index>
__device__ Index distinct_of_row(distinct_call<In, Index> const& call, team& all,
                                 sort_board<Index>& board,
                                 sorted_memory<bits_of<typename In::element>, Index> const& room,
                                 std::uint64_t number) {
  auto const row = output_of(call, number).row;
  Index const size = Index(row.count), k = Index(call.how.k_of(number, row.count));
  if (size == 0 || k == 0) return 0;
  for (Index i = all.thread(); i < size; i += all.threads())
    room.pairs[0].keys[i] = call.order(row[i]), room.pairs[0].indices[i] = i;
  all.meet();
  return put_firsts(call, all, board, room, row, number, size, k);
}

template <class In, class Index>
__global__ void __launch_bounds__(selecting_threads, 2)
    top_k_distinct(__grid_constant__ distinct_call<In, Index> const call) {
  using memory = sorted_memory<bits_of<typename In::element>, Index>;
  __shared__ sort_board<Index> board;
  await_launches_before();
  unsigned const mine = blockIdx.x / call.blocks;
  team all(call.w, mine, blockIdx.x - mine * call.blocks, call.blocks);
  arena from(call.scratch + mine * call.memory_bytes);
  memory const room(from, call.blocks, call.rows.length, call.by_index());
  std::uint64_t const rows = call.of.rows ? *call.of.count : call.rows.count;
#pragma unroll 1
  for (std::uint64_t i = mine; i < rows; i += call.teams) {
    std::uint64_t const r = call.of.rows ? call.of.rows[i] : i;
    finish_row(call.how, r, distinct_of_row(call, all, board, room, r), all.thread(),
               all.threads());
    all.meet();  // the memory is free for the next row
  }
  all.leave();
}

}  // namespace tally::device
