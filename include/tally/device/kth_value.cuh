// SPDX-License-Identifier: Apache-2.0
//
// The k-th value of each row of many, or of one array, by teams of blocks: where the k best end
// (select/cut.cuh), and the last of these.
#pragma once

#include "tally/cuda/launch.cuh"
#include "tally/device/grid/workspace.hpp"
#include "tally/device/quantile_shape.hpp"
#include "tally/device/select/rank.cuh"
#include "tally/device/select/tie.cuh"

namespace tally::device {

// What every search is told. `In` is an array's elements as bits, or an input of one's own.
template <class In, class Index, class How>
struct search_call {
  using element = typename In::element;
  using bits = bits_of<element>;
  using index = Index;

  In in;
  detail::gpu_rows rows;
  rank_order<bits> order;
  How how;
  unsigned blocks;  // of a team
  workspace w;
  std::byte* memory;  // of the teams

  __device__ auto row(std::uint64_t r) const {
    if constexpr (std::is_same_v<In, array_input<bits>>)
      return array_row<bits>{reinterpret_cast<bits const*>(in.data) + rows.begin(r), rows.size(r)};
    else
      return computed_row<In>{in, rows.begin(r), rows.size(r)};
  }
};

// A team, its row after row, and the memory in which it searches them.
template <class Call>
class searching_team {
 public:
  using bits = typename Call::bits;
  using index = typename Call::index;
  using memory = search_memory<bits, index>;

  __device__ explicit searching_team(Call const& call)
      : all(call.w, blockIdx.x / call.blocks, blockIdx.x % call.blocks, call.blocks),
        told(memory_of(call) + memory::counts_bytes),
        counts(reinterpret_cast<index*>(memory_of(call))),
        first_(blockIdx.x / call.blocks),
        teams_(gridDim.x / call.blocks) {}

  // Calls f(row number) for each row of the team, which meets behind each.
  template <class F>
  __device__ void for_rows(std::uint64_t count, F f) {
#pragma unroll 1
    for (std::uint64_t r = first_; r < count; r += teams_) {
      f(r);
      all.meet();
    }
    all.leave();
  }
  __device__ bool speaks() const { return all.thread() == 0; }

  team all;
  exchange told;
  index* counts;

 private:
  unsigned first_, teams_;

  __device__ static std::byte* memory_of(Call const& call) {
    return call.memory + (blockIdx.x / call.blocks) * memory::bytes(call.blocks);
  }
};

template <class In, class Index>
using kth_value_call = search_call<In, Index, detail::gpu_kth<bits_of<typename In::element>>>;

template <class Index>
union kth_value_board {
  digit_counts<Index> digits;
  tile_bits tie;
};

// A row's k-th, in one thread.
template <class Call, class Row>
__device__ void put_kth(Call const& call, Row const& row, std::uint64_t r, std::uint64_t at) {
  auto const x = row[at];
  bool const counts = !call.order.skips || call.order(x) != 0;
  call.how.values[r] = counts ? x : call.how.missing;
  call.how.indices[r] = counts ? std::int64_t(at) : -1;
}

template <class Call, class Index>
__device__ void kth_of_row(Call const& call, searching_team<Call>& team,
                           kth_value_board<Index>& board, std::uint64_t r) {
  auto const row = call.row(r);
  if (call.how.k > row.count) {
    if (team.speaks()) call.how.values[r] = call.how.missing, call.how.indices[r] = -1;
    return;
  }
  auto const at =
      find_rank(team.all, board.digits, team.counts, row, call.order, Index(call.how.k));
  if (at.ties == 0) {
    auto const last =
        find_last<decltype(row), Index>(team.all, team.told, row, call.order, at.from);
    if (team.speaks()) put_kth(call, row, r, last.index);
    return;
  }
  Index const mine = threadIdx.x == 0 ? at.equal : Index(0);
  Index const before = team.told.fold(team.all, mine, Index(0), plus{}).before;
  if (before < at.ties && at.ties <= before + at.equal)
    find_tie(team.all, board.tie, row, call.order, at.from, Index(at.ties - before),
             [&](std::uint64_t i) { put_kth(call, row, r, i); });
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
