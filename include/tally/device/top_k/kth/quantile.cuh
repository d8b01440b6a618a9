// SPDX-License-Identifier: Apache-2.0
//
// Quantiles of each row of many, or of one array, by teams of blocks: the keys at a rank and at the
// next (kth/search.cuh), and what lies between these elements (exact/between.hpp).
#pragma once

#include "tally/device/top_k/kth/search.cuh"
#include "tally/exact/between.hpp"

namespace tally::device {

template <class In, class Index>
using quantile_call = search_call<In, Index, detail::gpu_quantiles>;

template <class Index>
struct quantile_board {
  digit_counts<Index> digits;
  detail::sorted_place place;
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

// Calls put(T) with an element's type T, which is as wide as the bits.
template <class Bits, class Put>
__device__ void with_type(dtype elements, Put put) {
  if constexpr (sizeof(Bits) == 1) {
    if (elements == dtype::int8) return put(std::int8_t());
    return put(std::uint8_t());
  } else if constexpr (sizeof(Bits) == 2) {
    if (elements == dtype::float16) return put(float16());
    if (elements == dtype::bfloat16) return put(bfloat16());
    if (elements == dtype::int16) return put(std::int16_t());
    return put(std::uint16_t());
  } else if constexpr (sizeof(Bits) == 4) {
    if (elements == dtype::float32) return put(float());
    if (elements == dtype::int32) return put(std::int32_t());
    return put(std::uint32_t());
  } else {
    if (elements == dtype::float64) return put(double());
    if (elements == dtype::int64) return put(std::int64_t());
    return put(std::uint64_t());
  }
}

// The keys at a place and at the next one.
template <class Bits>
struct keys_at {
  Bits here, next;
};

// A row's quantile of place q; NaN, or 0 of integers, if `keys` is null.
template <class Call>
__device__ void put_quantile(Call const& call, std::uint64_t r, unsigned q,
                             keys_at<typename Call::bits> const* keys,
                             detail::sorted_place const& place) {
  std::uint64_t const to = r * call.how.places + call.how.first + q;
  with_type<typename Call::bits>(call.how.elements, [&]<class T>(T) {
    using result = quantile_of<T>;
    if constexpr (integer<T>)
      if (call.how.of_elements) {
        static_cast<T*>(call.how.out)[to] = keys ? detail::from_ascending_key<T>(keys->here) : T();
        return;
      }
    auto* const out = static_cast<result*>(call.how.out) + to;
    *out =
        keys ? detail::quantile_at<result, T>(keys->here, keys->next, place) : quiet_nan<result>();
  });
}

template <class Call, class Index>
__device__ void quantiles_of_row(Call const& call, searching_team<Call>& team,
                                 quantile_board<Index>& board, std::uint64_t r) {
  auto const row = call.row(r);
  auto const nans = count_nans(call, team, row);
  auto const n = row.count - nans;
  bool const is_nan = n == 0 || (nans && !call.how.skips_nan);
#pragma unroll 1
  for (unsigned q = 0; q < call.how.count; ++q) {
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
    auto const at = team.find(board.digits, row, call.order, Index(board.place.index + 1));
    bool const is_between = board.place.is_between();
    keys_at<typename Call::bits> const keys{at.low,
                                            is_between ? key_behind(call, team, row, at) : at.low};
    if (team.speaks()) put_quantile(call, r, q, &keys, board.place);
    __syncthreads();  // before the place is another
  }
}

template <class In, class Index>
__global__ void __launch_bounds__(selecting_threads, 2)
    quantiles(__grid_constant__ quantile_call<In, Index> const call) {
  __shared__ quantile_board<Index> board;
  await_launches_before();
  searching_team<quantile_call<In, Index>> team(call);
  team.for_rows(call.rows.count, [&](std::uint64_t r) { quantiles_of_row(call, team, board, r); });
}

}  // namespace tally::device
