// SPDX-License-Identifier: Apache-2.0
//
// Quantiles of each row of many, or of one array, by teams of blocks: the keys at a rank and at the
// next, and what lies between these elements (exact/between.hpp). The keys of long rows are found
// by one read (kth/by_splitters.cuh, kth/by_values.cuh), others digit by digit (select/ranks.cuh).
#pragma once

#include "tally/device/top_k/kth/by_splitters.cuh"
#include "tally/device/top_k/kth/by_values.cuh"
#include "tally/device/top_k/kth/put_quantile.cuh"
#include "tally/device/top_k/kth/search.cuh"

namespace tally::device {

// What a team has in global memory to find keys: by one read, and digit by digit.
template <class Bits, class Index>
struct quantile_memory : splitter_memory<Bits> {
  rank_memory<Index> ranks_of_row;

  TALLY_FN quantile_memory(arena& from, unsigned blocks, std::uint64_t length, unsigned keys)
      : splitter_memory<Bits>(from, blocks, length, keys), ranks_of_row(from, blocks) {}
};
template <class Index>
struct quantile_memory<std::uint8_t, Index> : value_memory<Index> {
  using value_memory<Index>::value_memory;
};

template <class In, class Index>
using quantile_call = search_call<In, Index, detail::gpu_quantiles, quantile_memory>;

// To find any ranks of a row: which are wanted, from 1, and the place of each among all of them.
template <class Bits, class Index>
struct any_rank_board {
  rank_board<Bits, Index> ranks;
  Index wanted[most_ranks<Index>];
  unsigned place[most_ranks<Index>];
};
template <class Bits, class Index>
union quantile_board {
  any_rank_board<Bits, Index> digits;
  splitter_board<Bits, Index> splitters;
};
template <class Index>
union quantile_board<std::uint8_t, Index> {
  value_board<Index> values;
};

// By the first threads of a team, one a quantile, of n elements that are no NaN: keys_of(place)
// tells its keys, if they are known.
template <class Call, class Keys>
__device__ void put_quantiles(Call const& call, searching_team<Call> const& team, std::uint64_t r,
                              std::uint64_t n, bool is_nan, unsigned first, unsigned count,
                              Keys keys_of) {
  unsigned const q = first + threadIdx.x;
  if (team.all.rank() != 0 || threadIdx.x >= count) return;
  if (is_nan) return put_quantile(call, r, q, nullptr, {});
  auto const place = detail::place_of(call.how.method, n, call.how.q[q]);
  if (auto const keys = keys_of(place); keys.is_known) put_quantile(call, r, q, &keys.keys, place);
}

// The keys of a row that the blocks of a team read, each a stretch, whenever they are asked for.
template <class Row, class Index>
struct row_keys {
  Row const& row;
  team const& all;
  rank_order<typename Row::bits> const& order;

  template <class F>
  __device__ void for_each(F f) const {
    stretch<Row, Index> const part(row, all);
    part.for_tiles([&](auto const& x, auto) {
#pragma unroll
      for (int i = 0; i < part.items; ++i) f(order(x.x[i]), bool(x.live >> i & 1));
    });
  }
};

// How many NaNs a row has: their key is 0 where the smallest are the best. The team meets.
template <class Call, class Keys>
__device__ std::uint64_t count_nans(Call const& call, searching_team<Call>& team,
                                    Keys const& keys) {
  using index = typename Call::index;
  index mine = 0;
  if (call.order.sign != 0)
    keys.for_each([&](auto key, bool is_there) { mine += index(is_there && key == 0); });
  return team.told.fold(team.all, mine, index(0), plus{}).total;
}

// Finds the quantiles whose bits `todo` has, digit by digit, some at once.
template <class Call, class Index>
__device__ void quantiles_by_digits(Call const& call, searching_team<Call>& team,
                                    any_rank_board<typename Call::bits, Index>& board,
                                    std::uint64_t r, unsigned todo) {
  using bits = typename Call::bits;
  constexpr unsigned at_once = most_ranks<Index> / 2;
  auto const row = call.row(r);
  row_keys<std::remove_const_t<decltype(row)>, Index> const keys{row, team.all, call.order};
  rank_search<bits, Index> search(team.all, board.ranks, team.memory.ranks_of_row);
  auto const n = row.count - count_nans(call, team, keys);
  bool const is_nan = n == 0 || (n < row.count && !call.how.skips_nan);
  unsigned const t = threadIdx.x;
#pragma unroll 1
  for (unsigned first = 0; first < call.how.count; first += at_once, todo >>= at_once) {
    unsigned const rest = call.how.count - first, count = rest < at_once ? rest : at_once;
    auto const is_there = [&](unsigned rank) { return (todo >> rank / 2 & 1) != 0; };
    unsigned const ranks = 2 * unsigned(__popc(todo & ((1u << count) - 1)));
    if (!is_nan && ranks) {
      if (t < count) {
        auto const place = detail::place_of(call.how.method, n, call.how.q[first + t]);
        board.wanted[2 * t] = Index(place.index + 1);
        board.wanted[2 * t + 1] = Index(place.index + 1 + place.is_between());
      }
      __syncthreads();
      if (t < 2 * count && is_there(t)) {
        board.place[t] = place_among(board.wanted, 2 * count, t, is_there);
        board.ranks.look_for(board.place[t], 0, bits(~bits(0)), board.wanted[t]);
      }
      search.find(ranks, Index(0), keys);
    }
    put_quantiles(call, team, r, n, is_nan, first, count, [&](detail::sorted_place const&) {
      if (!is_there(2 * t)) return known_keys<bits>{{}, false};
      bits const* const found = board.ranks.low;
      return known_keys<bits>{{found[board.place[2 * t]], found[board.place[2 * t + 1]]}, true};
    });
    team.all.meet();  // nobody reads the board any more, nor the counts
  }
}

// Returns which quantiles are still to be found.
template <class Call, class Index>
__device__ unsigned quantiles_by_splitters(Call const& call, searching_team<Call>& team,
                                           splitter_board<typename Call::bits, Index>& board,
                                           std::uint64_t r) {
  using bits = typename Call::bits;
  auto const row = call.row(r);
  using row_type = std::remove_const_t<decltype(row)>;
  unsigned todo = 0;
#pragma unroll 1
  for (unsigned first = 0; first < call.how.count; first += most_brackets) {
    unsigned const rest = call.how.count - first;
    unsigned const count = rest < most_brackets ? rest : most_brackets;
    splitter_search<row_type, Index> search(team.all, board, team.memory, row, call.order,
                                            call.has_table);
    {
      sample_keys<row_type> const sample(team.all, row, call.order);
      unsigned nans = 0;
      if (call.order.sign != 0)
        sample.for_each([&](bits key, bool is_there) { nans += is_there && key == 0; });
      nans = team.told.fold(team.all, nans, 0u, plus{}).total;
      search.bracket(
          sample, sample.count() - nans, count,
          [&](unsigned b) { return share_of(call.how.q[first + b]); }, team.told);
    }
    search.classify();
    Index const n = row.count - search.nans();
    bool const is_nan = n == 0 || (n < row.count && !call.how.skips_nan);
    if (!is_nan) {
      if (unsigned const q = threadIdx.x; q < count) {
        auto const place = detail::place_of(call.how.method, n, call.how.q[first + q]);
        board.rank[2 * q] = Index(place.index + 1);
        board.rank[2 * q + 1] = Index(place.index + 1 + place.is_between());
      }
      search.find(2 * count);
      for (unsigned q = 0; q < count; ++q)
        if (!board.is_found[2 * q] || !board.is_found[2 * q + 1]) todo |= 1u << (first + q);
    }
    put_quantiles(call, team, r, n, is_nan, first, count, [&](detail::sorted_place const&) {
      unsigned const here = 2 * threadIdx.x, next = here + 1;
      return known_keys<bits>{{board.key[here], board.key[next]},
                              board.is_found[here] && board.is_found[next]};
    });
    team.all.meet();  // before the counts are zeroed again
  }
  return todo;
}

template <class Call, class Index>
__device__ void quantiles_by_values(Call const& call, searching_team<Call>& team,
                                    value_board<Index>& board, std::uint64_t r) {
  auto const row = call.row(r);
  count_values(team.all, board, team.memory, row, call.order);
  for (unsigned first = 0; first < call.how.count; first += selecting_threads)
    put_quantiles(call, team, r, row.count, row.count == 0, first, call.how.count - first,
                  [&](detail::sorted_place const& place) {
                    auto const key_at = [&](std::uint64_t rank) {
                      return std::uint8_t(board.of_keys.class_of(Index(rank)));
                    };
                    return known_keys<std::uint8_t>{
                        {key_at(place.index + 1), key_at(place.index + 1 + place.is_between())},
                        true};
                  });
}

template <class Call, class Board>
__device__ void quantiles_of_row(Call const& call, searching_team<Call>& team, Board& board,
                                 std::uint64_t r) {
  if constexpr (sizeof(typename Call::bits) == 1) {
    quantiles_by_values(call, team, board.values, r);
  } else {
    unsigned todo = ~0u;
    // Rows may be told to be of more elements than these are, for which there is no memory.
    if (call.rows.length <= bracketing::longest &&
        bracketing::is_worth_it(team.all.threads(), call.rows.size(r),
                                bracketing::least_of_thread<typename Call::bits>))
      todo = quantiles_by_splitters(call, team, board.splitters, r);
    if (todo) quantiles_by_digits(call, team, board.digits, r, todo);
  }
}

template <class In, class Index>
__global__ void __launch_bounds__(selecting_threads, 2)
    quantiles(__grid_constant__ quantile_call<In, Index> const call) {
  __shared__ quantile_board<bits_of<typename In::element>, Index> board;
  await_launches_before();
  searching_team<quantile_call<In, Index>> team(call);
  team.for_rows(call.rows.count, [&](std::uint64_t r) { quantiles_of_row(call, team, board, r); });
}

}  // namespace tally::device
