// SPDX-License-Identifier: Apache-2.0
//
// The k best of each row of many, or of one array, by teams of blocks: in one read
// (select/sampled.cuh), or where that cannot be, digit by digit: where the best end
// (select/cut.cuh), those that are before that in the order of their indices (select/gather.cuh),
// and these sorted (select/sort.cuh).
#pragma once

#include "tally/cuda/launch.cuh"
#include "tally/device/grid/workspace.hpp"
#include "tally/device/rows/arena.hpp"
#include "tally/device/top_k/rows.cuh"
#include "tally/device/top_k/select/gather.cuh"
#include "tally/device/top_k/select/sampled.cuh"
#include "tally/device/top_k/select/sort.cuh"

namespace tally::device {

// What a team keeps in global memory: the lists of a selection in one read, and what one by digits
// needs.
template <class Bits, class Index>
struct team_memory {
  std::byte* sampled;
  Index* counts;  // of digits: of the cut, and then of the sort
  two_counts<Index>* totals;
  key_pairs<Bits, Index> pairs[2];  // where there is more than one to sort

  TALLY_FN team_memory(arena& from, unsigned blocks, std::uint64_t sorted,
                       std::size_t sampled_bytes) {
    bool const alone = blocks == 1;
    sampled = from.take<std::byte>(sampled_bytes);
    counts = from.take<Index>(alone ? 0 : sort_counts() + 2 * std::size_t(sort_digits) * blocks);
    totals = from.take<two_counts<Index>>(alone ? 0 : blocks);
    for (auto& each : pairs) {
      each.indices = from.take<Index>(sorted);
      each.keys = from.take<Bits>(sorted);
    }
  }
  // Where those of a sort begin.
  TALLY_FN static constexpr std::size_t sort_counts() {
    return digit_passes<Bits> * std::size_t(digits);
  }
};

template <class In, class Index>
struct top_k_call : top_k_request<In> {
  using bits = typename top_k_request<In>::bits;
  using memory = team_memory<bits, Index>;

  unsigned blocks;  // of a team
  unsigned teams;
  bool sampled;  // whether one read is tried
  sampled_shape shape;
  sampling usual;  // of a row of rows.length elements, and the largest k
  workspace w;
  std::byte* scratch;          // of the teams
  std::uint64_t memory_bytes;  // of each

  TALLY_FN std::uint64_t sorts() const {
    return this->how.sorted && this->how.most > 1 ? this->how.most : 0;
  }
};

template <class Bits, class Index>
union top_k_board {
  digit_counts<Index> digits;
  found_by_warps found;
  sort_board<Index> sort;
  struct {
    sampled_board<Bits> sampled;
    found_by_warps ties;
  } one_read;
};

template <class Bits>
__device__ __noinline__ sampling unusual_sampling(unsigned blocks, std::uint64_t n, unsigned k) {
  return sampling_of<Bits>(blocks, n, k);
}

// What a block needs to select from a row.
template <class In, class Index>
struct top_k_of_row {
  using bits = bits_of<typename In::element>;
  using row_type = decltype(passing(row_of(std::declval<In const&>(), 0, 0)));
  using path = detail::top_k_path;

  top_k_call<In, Index> const& call;
  team& all;
  top_k_board<bits, Index>& board;
  std::byte* scratch;  // the team's
  row_output<row_type> out;
  Index k;

  __device__ top_k_of_row(top_k_call<In, Index> const& to, team& by, top_k_board<bits, Index>& with,
                          std::uint64_t r, unsigned number)
      : call(to),
        all(by),
        board(with),
        scratch(call.scratch + number * call.memory_bytes),
        out{passing(row_of(call.in, std::uint64_t(call.rows.begin(r)), call.rows.size(r))),
            call.order, call.how, r * call.how.most},
        k(Index(call.how.k_of(r, out.row.count))) {}

  // In one read, if that can be. Returns how many there are, or ~0.
  __device__ Index in_one_read() const {
    constexpr Index none = Index(~Index(0));
    auto& shared = board.one_read;
    sampled_memory<bits, Index> const room{call.shape, scratch};
    sampled_selection<row_type, Index> search(all, shared.sampled, room, out.row, call.order,
                                              unsigned(k));
    std::uint64_t const n = out.row.count;
    bool const is_usual = n == call.rows.length && k == call.how.most;
    if (!search.find(is_usual ? call.usual : unusual_sampling<bits>(call.blocks, n, unsigned(k))))
      return none;
    auto const to = out;
    bool const placed = search.place(
        shared.ties, memory().totals, call.how.sorted,
        [&](unsigned place, bits key, Index index) { out.put_key(place, key, index); },
        [to](Index place, bits x, Index index) { to.put(place, x, std::int64_t(index)); });
    if (!placed) return none;
    note(search.has_gathered() ? path::sampled_ties : path::sampled);
    return Index(search.count());
  }

  // Digit by digit: as many reads as a key has digits, and one more.
  __device__ Index by_digits() const {
    note(path::by_digits);
    auto const room = memory();
    auto const at = find_cut_of_any(all, board.digits, room.counts, out.row, call.order, k);
    auto const places = find_places(all, room.totals, at);
    if (call.sorts() > 0)
      gather_sorted(room, at, places);
    else
      gather(all, board.found, out.row, call.order, at, places,
             [&](Index place, bits x, Index index) { out.put(place, x, std::int64_t(index)); });
    return places.count;
  }

 private:
  __device__ void note(path taken) const {
    if (all.thread() == 0) device::note(call.how, taken);
  }
  __device__ auto memory() const {
    arena from(scratch);
    return team_memory<bits, Index>(from, call.blocks, call.sorts(), call.shape.global_bytes);
  }
  __device__ void gather_sorted(team_memory<bits, Index> const& room, cut<bits, Index> const& at,
                                places<Index> const& where) const {
    auto const pairs = room.pairs[0];
    gather(all, board.found, out.row, call.order, at, where, [&](Index place, bits x, Index index) {
      pairs.keys[place] = call.order(x), pairs.indices[place] = index;
    });
    all.meet();
    auto const sorted = sort_pairs(all, board.sort, room.counts + room.sort_counts(), pairs,
                                   room.pairs[1], where.count);
    for (Index i = all.thread(); i < where.count; i += all.threads())
      out.put(i, out.row[sorted.indices[i]], std::int64_t(sorted.indices[i]));
  }
};

// Apart from the other way, which need not wait for this one's code nor leave it registers.
template <class In, class Index, class Board>
__device__ __noinline__ Index by_digits(top_k_call<In, Index> const& call, team& all, Board& board,
                                        std::uint64_t r, unsigned number) {
  return top_k_of_row<In, Index>(call, all, board, r, number).by_digits();
}

template <class In, class Index>
__device__ void select_by_team(top_k_call<In, Index> const& call, team& all, auto& board,
                               std::uint64_t r, unsigned number) {
  constexpr Index none = Index(~Index(0));
  top_k_of_row<In, Index> const work(call, all, board, r, number);
  Index count = 0;
  if (work.k > 0) {
    count = none;
    if constexpr (sizeof(Index) == 4)  // longer rows take so long that other reads matter less
      if (work.k <= most_sampled && call.sampled) count = work.in_one_read();
    if (count == none) {
      team same = all;
      count = by_digits(call, same, board, r, number);
      all = same;
    }
  }
  finish_row(call.how, r, count, all.thread(), all.threads());
}

template <class In, class Index>
__global__ void __launch_bounds__(selecting_threads, 2)
    top_k_by_team(__grid_constant__ top_k_call<In, Index> const call) {
  __shared__ top_k_board<bits_of<typename In::element>, Index> board;
  await_launches_before();
  unsigned const mine = call.blocks == 1 ? blockIdx.x : blockIdx.x / call.blocks;
  team all(call.w, mine, blockIdx.x - mine * call.blocks, call.blocks);
#pragma unroll 1
  for (std::uint64_t r = mine; r < call.rows.count; r += call.teams) {
    if (r >= call.teams) all.meet();  // the memory of the row before is free
    select_by_team(call, all, board, r, mine);
  }
  all.leave();
}

}  // namespace tally::device
