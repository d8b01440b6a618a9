// SPDX-License-Identifier: Apache-2.0
//
// The k-th value of each row of many, or of one array, by teams of blocks: its key
// (kth/search.cuh), and which of the elements that have it is the one.
#pragma once

#include "tally/device/top_k/kth/search.cuh"
#include "tally/device/top_k/select/gather.cuh"

namespace tally::device {

template <class In, class Index>
using kth_value_call = search_call<In, Index, detail::gpu_kth<bits_of<typename In::element>>>;

template <class Index>
union kth_value_board {
  digit_counts<Index> digits;
  found_by_warps found;
};

template <class Call, class Index>
__device__ void kth_of_row(Call const& call, searching_team<Call>& team,
                           kth_value_board<Index>& board, std::uint64_t r) {
  auto const row = call.row(r);
  auto const& how = call.how;
  auto const nothing = [&] { how.values[r] = how.missing, how.indices[r] = -1; };
  if (how.k > row.count) {
    if (team.speaks()) nothing();
    return;
  }
  auto const at = team.find(board.digits, row, call.order, Index(how.k));
  if (call.order.skips && at.low == 0) {
    if (team.speaks()) nothing();
    return;
  }
  Index const mine = threadIdx.x == 0 ? at.equal : Index(0);
  Index const before = team.told.fold(team.all, mine, Index(0), plus{}).before;
  if (before >= at.ties || at.ties > before + at.equal) return;
  gather<gathers::ties>(team.all, board.found, row, call.order, at, {0, before, 0},
                        [&](Index place, auto x, Index index) {
                          if (place == at.ties - 1)
                            how.values[r] = x, how.indices[r] = std::int64_t(index);
                        });
}

template <class In, class Index>
__global__ void __launch_bounds__(selecting_threads, 2)
    kth_values(__grid_constant__ kth_value_call<In, Index> const call) {
  __shared__ kth_value_board<Index> board;
  await_launches_before();
  searching_team<kth_value_call<In, Index>> team(call);
  team.for_rows(call.rows.count, [&](std::uint64_t r) { kth_of_row(call, team, board, r); });
}

}  // namespace tally::device
