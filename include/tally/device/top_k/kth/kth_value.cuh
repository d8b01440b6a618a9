// SPDX-License-Identifier: Apache-2.0
//
// The k-th value of each row of many, or of one array, by teams of blocks: by one read
// (kth/by_bracket.cuh), or where that cannot be, its key digit by digit (select/cut.cuh), and which
// of the elements that have it is the one.
#pragma once

#include "tally/device/top_k/kth/by_bracket.cuh"
#include "tally/device/top_k/kth/by_values.cuh"
#include "tally/device/top_k/kth/search.cuh"
#include "tally/device/top_k/select/gather.cuh"

namespace tally::device {

// What a team has in global memory to find one: by one read, and digit by digit.
template <class Bits, class Index>
struct kth_memory : bracket_memory<Bits, Index> {
  Index* digit_counts;

  TALLY_FN kth_memory(arena& from, unsigned blocks, std::uint64_t length, unsigned keys)
      : bracket_memory<Bits, Index>(from, blocks, length, keys),
        digit_counts(from.take<Index>(blocks == 1 ? 0 : digit_passes<Bits> * std::size_t(digits))) {
  }
};
template <class Index>
struct kth_memory<std::uint8_t, Index> : value_memory<Index> {
  using value_memory<Index>::value_memory;
};

template <class In, class Index>
using kth_value_call =
    search_call<In, Index, detail::gpu_kth<bits_of<typename In::element>>, kth_memory>;

template <class Bits, class Index>
union kth_value_board {
  bracket_board<Bits, Index> bracket;
  digit_counts<Index> digits;
  found_by_warps found;
};

template <class Index>
union kth_value_board<std::uint8_t, Index> {
  value_board<Index> values;
};

// A function of its own: it holds no register while a row is read once.
template <class Call, class Bits, class Index, class Row, class Put, class None>
__device__ __noinline__ void kth_by_digits(Call const& call, searching_team<Call>& team,
                                           kth_value_board<Bits, Index>& board, Row const& row,
                                           Put put, None nothing) {
  auto const at = find_cut_of_any<digit_bits, true>(
      team.all, board.digits, team.memory.digit_counts, row, call.order, Index(call.how.k));
  if (call.order.skips && at.low == 0) {
    if (team.speaks()) nothing();
    return;
  }
  Index const mine = threadIdx.x == 0 ? at.equal : Index(0);
  Index const before = team.told.fold(team.all, mine, Index(0), plus{}).before;
  if (before >= at.ties || at.ties > before + at.equal) return;
  gather<gathers::ties>(team.all, board.found, row, call.order, at, {0, before, 0},
                        [&](Index place, auto x, Index index) {
                          if (place == at.ties - 1) put(x, index);
                        });
}

template <class Call, class Bits, class Index>
__device__ void kth_of_row(Call const& call, searching_team<Call>& team,
                           kth_value_board<Bits, Index>& board, std::uint64_t r) {
  auto const row = call.row(r);
  auto const& how = call.how;
  auto const put = [&](Bits x, Index index) {
    how.values[r] = x, how.indices[r] = std::int64_t(index);
  };
  auto const nothing = [&] { how.values[r] = how.missing, how.indices[r] = -1; };
  if (how.k > row.count) {
    if (team.speaks()) nothing();
    return;
  }
  if constexpr (sizeof(Bits) == 1) {
    put_kth_by_values(team.all, team.told, board.values, team.memory, row, call.order, Index(how.k),
                      put);
  } else {
    // Rows may be told to be of more elements than these are, for which there is no memory.
    if (call.rows.length <= bracketing::longest &&
        bracketing::is_worth_it(team.all.threads(), row.count, bracketing::least_of_thread<Bits>)) {
      bracket_search<std::remove_const_t<decltype(row)>, Index> search(
          team.all, team.told, board.bracket, team.memory, row, call.order);
      if (search.find(Index(how.k), put, nothing)) return;
      __syncthreads();
    }
    kth_by_digits(call, team, board, row, put, nothing);
  }
}

template <class In, class Index>
__global__ void __launch_bounds__(selecting_threads, 2)
    kth_values(__grid_constant__ kth_value_call<In, Index> const call) {
  __shared__ kth_value_board<bits_of<typename In::element>, Index> board;
  await_launches_before();
  searching_team<kth_value_call<In, Index>> team(call);
  team.for_rows(call.rows.count, [&](std::uint64_t r) { kth_of_row(call, team, board, r); });
}

}  // namespace tally::device
