// SPDX-License-Identifier: Apache-2.0
//
// Quantiles of each row of many, or of one array, by teams of blocks: the keys at a rank and at the
// next, and what lies between these elements (exact/between.hpp). The keys of long rows are found
// by one read (kth/by_splitters.cuh, kth/by_values.cuh), others digit by digit (kth/search.cuh).
#pragma once

#include "tally/device/top_k/kth/by_splitters.cuh"
#include "tally/device/top_k/kth/by_values.cuh"
#include "tally/device/top_k/kth/put_quantile.cuh"
#include "tally/device/top_k/kth/search.cuh"

namespace tally::device {

// What a team has in global memory to find keys by one read.
template <class Bits, class Index>
struct quantile_memory : splitter_memory<Bits> {
  using splitter_memory<Bits>::splitter_memory;
};
template <class Index>
struct quantile_memory<std::uint8_t, Index> : value_memory<Index> {
  using value_memory<Index>::value_memory;
};

template <class In, class Index>
using quantile_call = search_call<In, Index, detail::gpu_quantiles, quantile_memory>;

template <class Index>
struct digit_board {
  digit_counts<Index> counts;
  detail::sorted_place place;
};
template <class Bits, class Index>
union quantile_board {
  digit_board<Index> digits;
  splitter_board<Bits, Index> splitters;
};
template <class Index>
union quantile_board<std::uint8_t, Index> {
  value_board<Index> values;
};

// How many NaNs a row has: their key is 0 where the smallest are the best.
template <class Call, class Row>
__device__ std::uint64_t count_nans(Call const& call, searching_team<Call>& team, Row const& row) {
  using index = typename Call::index;
  if (call.order.sign == 0) return 0;
  index mine = 0;
  stretch<Row, index> const part(row, team.all);
  part.for_tiles([&](auto const& x, auto) {
#pragma unroll
    for (int i = 0; i < part.items; ++i)
      mine += index((x.live >> i & 1) && call.order(x.x[i]) == 0);
  });
  return team.told.fold(team.all, mine, index(0), plus{}).total;
}

// The greatest key below the one at a rank, unless that is the next one's, too.
template <class Call, class Row>
__device__ auto key_behind(Call const& call, searching_team<Call>& team, Row const& row,
                           cut<typename Call::bits, typename Call::index> const& at) {
  using bits = typename Call::bits;
  using index = typename Call::index;
  index const equal = threadIdx.x == 0 ? at.equal : index(0);
  if (team.told.fold(team.all, equal, index(0), plus{}).total > at.ties) return at.low;
  bits best = 0;
  stretch<Row, index> const part(row, team.all);
  part.for_tiles([&](auto const& x, auto) {
#pragma unroll
    for (int i = 0; i < part.items; ++i) {
      bits const key = call.order(x.x[i]);
      if ((x.live >> i & 1) && key < at.low && key > best) best = key;
    }
  });
  return team.told.fold(team.all, best, bits(0), larger{}).total;
}

// Finds the quantiles whose bits `todo` has.
template <class Call, class Index>
__device__ void quantiles_by_digits(Call const& call, searching_team<Call>& team,
                                    digit_board<Index>& board, std::uint64_t r, unsigned todo) {
  auto const row = call.row(r);
  auto const nans = count_nans(call, team, row);
  auto const n = row.count - nans;
  bool const is_nan = n == 0 || (nans && !call.how.skips_nan);
#pragma unroll 1
  for (unsigned q = 0; q < call.how.count; ++q) {
    if (!(todo >> q & 1)) continue;
    if (is_nan) {
      if (team.speaks()) put_quantile(call, r, q, nullptr, {});
      continue;
    }
    if (threadIdx.x == 0) {
      auto const place = detail::place_of(call.how.method, n, call.how.q[q]);
      board.place.index = place.index;
      board.place.fraction = place.fraction, board.place.scale = place.scale;
      board.place.denominator = place.denominator;
    }
    __syncthreads();
    auto const at = team.find(board.counts, row, call.order, Index(board.place.index + 1));
    bool const is_between = board.place.is_between();
    keys_at<typename Call::bits> const keys{at.low,
                                            is_between ? key_behind(call, team, row, at) : at.low};
    if (team.speaks()) put_quantile(call, r, q, &keys, board.place);
    team.all.meet();  // nobody reads the place any more, nor the counts
  }
}

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
    splitter_search<row_type, Index> search(team.all, board, team.memory.one_read, row, call.order,
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
  count_values(team.all, board, team.memory.one_read, row, call.order);
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
    if (bracketing::is_worth_it(team.all.threads(), call.rows.size(r),
                                bracketing::least_of_thread(call.how.keys())))
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
