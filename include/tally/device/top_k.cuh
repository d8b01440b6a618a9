// SPDX-License-Identifier: Apache-2.0
//
// The k best of each row of many, or of one array, by teams of blocks: in one read
// (select/sampled.cuh), or where that cannot be, digit by digit: where the best end
// (select/cut.cuh), those that are before that in the order of their indices (select/gather.cuh),
// and these sorted (select/sort.cuh).
#pragma once

#include "tally/cuda/launch.cuh"
#include "tally/device/grid/workspace.hpp"
#include "tally/device/select/gather.cuh"
#include "tally/device/select/sampled.cuh"
#include "tally/device/select/sort.cuh"
#include "tally/device/top_k_request.cuh"

namespace tally::device {

// What a team keeps in global memory: lists of a selection in one read, and behind them what one by
// digits needs. Addresses are computed where they are needed.
template <class Bits, class Index>
struct team_memory {
  std::byte* sampled;
  std::uint64_t sampled_bytes;
  unsigned blocks;
  std::uint64_t sorted;  // how many are sorted

  // Of digits: of the cut, and then of the sort.
  __device__ Index* counts() const { return reinterpret_cast<Index*>(sampled + sampled_bytes); }
  // Of blocks.
  __device__ two_counts<Index>* totals() const {
    return reinterpret_cast<two_counts<Index>*>(sampled + sampled_bytes + bytes_of_counts(blocks));
  }
  // The two places of a sort.
  __device__ key_pairs<Bits, Index> pairs(unsigned place) const {
    auto* const at = sampled + sampled_bytes + bytes_of_counts(blocks) + bytes_of_totals(blocks) +
                     place * bytes_of_pairs(sorted);
    return {reinterpret_cast<Bits*>(at + rounded(sorted * sizeof(Index))),
            reinterpret_cast<Index*>(at)};
  }

  TALLY_HD static constexpr std::size_t bytes(unsigned blocks, std::uint64_t sorted,
                                              sampled_shape const& shape) {
    return shape.global_bytes + bytes_of_counts(blocks) + bytes_of_totals(blocks) +
           2 * bytes_of_pairs(sorted);
  }

 private:
  TALLY_HD static constexpr std::size_t rounded(std::size_t bytes) {
    return (bytes + 15) / 16 * 16;
  }
  TALLY_HD static constexpr std::size_t bytes_of_counts(unsigned blocks) {
    std::size_t const of_sort = 2 * std::size_t(sort_digits) * blocks;
    return blocks == 1
               ? 0
               : rounded((digit_passes<Bits> * std::size_t(digits) + of_sort) * sizeof(Index));
  }
  TALLY_HD static constexpr std::size_t bytes_of_totals(unsigned blocks) {
    return blocks == 1 ? 0 : rounded(blocks * sizeof(two_counts<Index>));
  }
  TALLY_HD static constexpr std::size_t bytes_of_pairs(std::uint64_t sorted) {
    return rounded(sorted * sizeof(Index)) + rounded(sorted * sizeof(Bits));
  }
};

template <class In, class Index>
struct top_k_call : top_k_request<In> {
  using bits = typename top_k_request<In>::bits;

  unsigned blocks;  // of a team
  unsigned teams;
  bool sampled;  // whether one read is tried
  sampled_shape shape;
  sampling usual;  // of a row of rows.length elements, and the largest k
  workspace w;
  std::byte* memory;           // of the teams
  std::uint64_t memory_bytes;  // of each
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

// A row's best to its place in the outputs.
template <class In, class Index>
struct row_output {
  using bits = bits_of<typename In::element>;
  detail::gpu_selection<bits> const& how;
  std::uint64_t first;

  __device__ void operator()(Index place, bits value, std::int64_t index) const {
    how.put(first + place, value, index);
  }
};

template <class Bits>
__device__ __noinline__ sampling unusual_sampling(unsigned blocks, std::uint64_t n, unsigned k,
                                                  bool of_tiles) {
  return sampling_of<Bits>(blocks, n, k, of_tiles);
}

// What a block needs to select from a row.
template <class In, class Index>
struct top_k_of_row {
  using bits = bits_of<typename In::element>;
  using row_type = decltype(passing(row_of(std::declval<In const&>(), 0, 0)));
  using memory_type = team_memory<bits, Index>;

  top_k_call<In, Index> const& call;
  team& all;
  top_k_board<bits, Index>& board;
  memory_type memory;
  row_type row;
  Index k;
  row_output<In, Index> out;

  __device__ void note(detail::top_k_path path) const {
    if (call.how.paths && all.thread() == 0) atomicAdd(call.how.paths + unsigned(path), 1u);
  }

  // In one read, if that can be. Returns how many there are, or ~0.
  template <bool Held>
  __device__ Index in_one_read(team_words<bits>* words) const {
    constexpr Index none = Index(~Index(0));
    auto& shared = board.one_read;
    sampled_memory<bits, Index> const room{call.shape, memory.sampled};
    sampled_selection<row_type, Index, Held> search(all, shared.sampled, room, row, call.order,
                                                    unsigned(k), words);
    bool const of_tiles = search.is_resident();
    bool const is_usual =
        row.count == call.rows.length && k == call.how.most && of_tiles == call.usual.of_tiles;
    if (!search.find(is_usual
                         ? call.usual
                         : unusual_sampling<bits>(call.blocks, row.count, unsigned(k), of_tiles)))
      return none;
    auto const to = out;
    bool const placed = search.place(
        shared.ties, memory.totals(), call.how.sorted,
        [&](unsigned place, bits key, Index index) {
          bits const x = call.order.is_of_several(key) ? row[index] : call.order.element_of(key);
          out(Index(place), x, std::int64_t(index));
        },
        [to](Index place, bits x, Index index) { to(place, x, std::int64_t(index)); });
    if (!placed) return none;
    using path = detail::top_k_path;
    note(search.has_gathered() ? path::sampled_ties : Held ? path::held : path::sampled);
    return Index(search.count());
  }

  // Digit by digit: as many reads as a key has digits, and one more.
  __device__ Index by_digits() const {
    note(detail::top_k_path::by_digits);
    auto const at = find_cut_of_any(all, board.digits, memory.counts(), row, call.order, k);
    auto const places = find_places(all, memory.totals(), at);
    if (call.how.sorted && call.how.most > 1)
      gather_sorted(at, places);
    else
      gather(all, board.found, row, call.order, at, places,
             [&](Index place, bits x, Index index) { out(place, x, std::int64_t(index)); });
    return places.count;
  }

 private:
  __device__ void gather_sorted(cut<bits, Index> const& at, places<Index> const& where) const {
    auto const pairs = memory.pairs(0);
    gather(all, board.found, row, call.order, at, where, [&](Index place, bits x, Index index) {
      pairs.keys[place] = call.order(x), pairs.indices[place] = index;
    });
    all.meet();
    auto const sorted =
        sort_pairs(all, board.sort, memory.counts() + digit_passes<bits> * std::size_t(digits),
                   pairs, memory.pairs(1), where.count);
    for (Index i = all.thread(); i < where.count; i += all.threads())
      out(i, row[sorted.indices[i]], std::int64_t(sorted.indices[i]));
  }
};

// The work in a row, of which a block keeps nothing but what it says here.
template <class In, class Index>
__device__ top_k_of_row<In, Index> work_in_row(
    top_k_call<In, Index> const& call, team& all,
    top_k_board<bits_of<typename In::element>, Index>& board, std::uint64_t number, unsigned mine) {
  using memory = team_memory<bits_of<typename In::element>, Index>;
  std::uint64_t const sorts = call.how.sorted && call.how.most > 1 ? call.how.most : 0;
  auto const row = passing(row_of(call.in, call.rows.begin(number), call.rows.size(number)));
  std::byte* const at = call.memory + mine * call.memory_bytes;
  return {call,
          all,
          board,
          memory{at, call.shape.global_bytes, call.blocks, sorts},
          row,
          Index(call.how.k_of(number, row.count)),
          {call.how, number * call.how.most}};
}

// Apart from the other way, which need not wait for this one's code nor leave it registers.
template <class In, class Index>
__device__ __noinline__ Index by_digits(top_k_call<In, Index> const& call, team& all,
                                        top_k_board<bits_of<typename In::element>, Index>& board,
                                        std::uint64_t number, unsigned mine) {
  return work_in_row(call, all, board, number, mine).by_digits();
}

template <bool Held = false, class In, class Index>
__device__ void select_row(top_k_call<In, Index> const& call, team& all,
                           top_k_board<bits_of<typename In::element>, Index>& board,
                           std::uint64_t number, unsigned mine,
                           team_words<bits_of<typename In::element>>* words = nullptr) {
  auto const work = work_in_row(call, all, board, number, mine);
  Index count = 0;
  if (work.k > 0) {
    count = Index(~Index(0));
    if constexpr (sizeof(Index) == 4)  // longer rows take so long that other reads matter less
      if (work.k <= most_sampled && call.sampled) count = work.template in_one_read<Held>(words);
    if (count == Index(~Index(0))) {
      team same = all;
      count = by_digits(call, same, board, number, mine);
      all = same;
    }
  }
#pragma unroll 1
  for (std::uint64_t i = count + all.thread(); i < call.how.most; i += all.threads())
    call.how.put(number * call.how.most + i, call.how.missing, -1);
  if (all.thread() == 0 && call.how.counts) call.how.counts[number] = count;
}

template <class In, class Index>
__global__ void __launch_bounds__(selecting_threads, 2)
    top_k(__grid_constant__ top_k_call<In, Index> const call) {
  __shared__ top_k_board<bits_of<typename In::element>, Index> board;
  await_launches_before();
  unsigned const mine = call.blocks == 1 ? blockIdx.x : blockIdx.x / call.blocks;
  team all(call.w, mine, blockIdx.x - mine * call.blocks, call.blocks);
#pragma unroll 1
  for (std::uint64_t row = mine; row < call.rows.count; row += call.teams) {
    if (row >= call.teams) all.meet();  // the memory of the row before is free
    select_row(call, all, board, row, mine);
  }
  all.leave();
}

// Of rows that teams of several blocks hold at once: a team for each, and a block a multiprocessor,
// which then has twice as many registers. Blocks are numbered by their place in the team and by the
// row.
template <class In>
__global__ void __launch_bounds__(selecting_threads, 1)
    top_k_held(__grid_constant__ top_k_call<In, std::uint32_t> const call) {
  __shared__ top_k_board<bits_of<typename In::element>, std::uint32_t> board;
  await_launches_before();
  team all(call.w, blockIdx.y, blockIdx.x, call.blocks);
  team_words<bits_of<typename In::element>> words(call.w, blockIdx.y, call.how.most <= most_told);
  select_row<true>(call, all, board, blockIdx.y, blockIdx.y, &words);
  words.end(all, call.teams);
  all.leave();
}

}  // namespace tally::device
