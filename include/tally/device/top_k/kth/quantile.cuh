// SPDX-License-Identifier: Apache-2.0
//
// Quantiles of each row of many, or of one array, by teams of blocks: the keys at a rank and at the
// next (kth/search.cuh), and what lies between these elements (exact/between.hpp). Of short rows:
// by a warp each, which has the keys in registers and halves the range in which the one at a rank
// is, by counts. What lies between two elements is long scalar code: a warp finds the keys of up to
// 32 quantiles one after another, and then its lanes each finish one.
#pragma once

#include "tally/device/top_k/kth/search.cuh"
#include "tally/exact/between.hpp"
#include "tally/warp/reduce.cuh"

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

inline constexpr int short_quantile_warps = 8;  // of a block
// Of a multiprocessor, which has registers for so many.
template <int Each>
inline constexpr int short_quantile_blocks = Each == 32 ? 2 : 4;
inline constexpr unsigned longest_short_quantile_row = 1024;

template <class In>
struct short_quantile_call : row_request<In, detail::gpu_quantiles> {
  unsigned together;  // quantiles of a warp
};

// A key, and how many of a row's are at least this.
template <class Word>
struct counted_key {
  Word key;
  unsigned reach;
};

// The keys of a row in the lanes' registers: that of element j * 32 + lane is a lane's j-th. Places
// without an element have the key 0. All lanes of the warp call together, with the same arguments.
template <class Bits, int Each>
class warp_keys {
 public:
  using word = std::conditional_t<sizeof(Bits) == 8, std::uint64_t, std::uint32_t>;

  template <class Row>
  __device__ void read(Row const& row, rank_order<Bits> const& order) {
    unsigned const lane = threadIdx.x % 32;
    int const rest = int(row.count) - int(lane);
    Bits x[Each];
#pragma unroll
    for (int j = 0; j < Each; ++j)
      x[j] = j * 32 < rest ? row[std::uint64_t(j * 32) + lane] : Bits(0);
#pragma unroll
    for (int j = 0; j < Each; ++j) {
      word const key = order(x[j]);
      key_[j] = j * 32 < rest ? key : 0;
    }
    above_0_ = reach(1);
    least_ = least_from(1), best_ = best_below(0);
  }
  // How many keys are not 0, which of floats is that of NaNs.
  __device__ unsigned above_0() const { return above_0_; }

  // The key at rank k, counted from 1, which is always from `low` to `high`.
  __device__ counted_key<word> at(unsigned k) const {
    if (k > above_0_) return {0, ~0u};  // an integer's: behind it are no others
    word low = least_, high = best_;
    unsigned reached = above_0_;
#pragma unroll 1
    while (low < high && reached != k) {
      word const middle = high - (high - low) / 2;
      if (unsigned const count = reach(middle); count >= k)
        low = middle, reached = count;
      else
        high = middle - 1;
    }
    return {reached == k ? least_from(low) : low, reached};
  }
  // The key at the rank behind that.
  __device__ word behind(counted_key<word> const& at, unsigned k) const {
    return at.reach > k ? at.key : best_below(at.key);
  }

 private:
  // How many keys are at least this, which is not 0.
  __device__ unsigned reach(word least) const {
    if constexpr (Each == 1) {
      return unsigned(__popc(__ballot_sync(~0u, key_[0] >= least)));
    } else {
      unsigned mine = 0;
#pragma unroll
      for (int j = 0; j < Each; ++j) mine = plus_carry(mine, key_[j], word(0) - least);
      return warp::all_reduce(mine, plus{});
    }
  }
  // The least key from this one on, if there is any: others wrap around, to beyond it.
  __device__ word least_from(word from) const {
    word least = ~word(0);
#pragma unroll
    for (int j = 0; j < Each; ++j) least = smaller{}(least, key_[j] - from);
    return warp::all_reduce(least, smaller{}) + from;
  }
  // The best key below this one, or of all if it is 0.
  __device__ word best_below(word end) const {
    word best = 0;
#pragma unroll
    for (int j = 0; j < Each; ++j) best = larger{}(best, key_[j] - end);
    return warp::all_reduce(best, larger{}) + end;
  }

  word key_[Each];
  word least_, best_;  // of those that are not 0
  unsigned above_0_;
};

// Up to 32 quantiles from number `first` on, of which each row has how.count.
template <int Each, class Call>
__device__ void quantiles_of_warp(Call const& call, std::uint64_t first, unsigned count) {
  using bits = typename Call::bits;
  auto const& how = call.how;
  unsigned const lane = threadIdx.x % 32;
  // A lane's own quantile, or that of the last one that has any.
  std::uint64_t const number = first + (lane < count ? lane : count - 1);
  std::uint64_t const r = number / how.count, begin = std::uint64_t(call.rows.begin(r));
  unsigned const q = unsigned(number % how.count), size = unsigned(call.rows.size(r));
  auto place = detail::place_of(how.method, size ? size : 1, how.q[q]);
  keys_at<bits> keys{};
  bool is_nan = true;
  warp_keys<bits, Each> row;
#pragma unroll 1
  for (unsigned i = 0; i < count; ++i) {
    unsigned const all = warp::broadcast(size, int(i));
    if (i == 0 || warp::broadcast(q, int(i)) == 0)
      row.read(row_of(call.in, warp::broadcast(begin, int(i)), all), call.order);
    unsigned const n = call.order.sign ? row.above_0() : all;
    if (n == 0 || (n < all && !how.skips_nan)) continue;
    if (n < all && lane == i) place = detail::place_of(how.method, n, how.q[q]);
    unsigned const k = warp::broadcast(unsigned(place.index), int(i)) + 1;
    auto const here = row.at(k);
    auto const next = warp::broadcast(place.is_between(), int(i)) ? row.behind(here, k) : here.key;
    if (lane == i) keys = {bits(here.key), bits(next)}, is_nan = false;
  }
  if (lane < count) put_quantile(call, r, q, is_nan ? nullptr : &keys, place);
}

template <int Each, class In>
__global__ void __launch_bounds__(32 * short_quantile_warps, short_quantile_blocks<Each>)
    short_quantiles(__grid_constant__ short_quantile_call<In> const call) {
  await_launches_before();
  std::uint64_t const all = call.rows.count * call.how.count;
  std::uint64_t const step = std::uint64_t(gridDim.x) * short_quantile_warps * call.together;
  std::uint64_t const warp = std::uint64_t(blockIdx.x) * short_quantile_warps + threadIdx.x / 32;
#pragma unroll 1
  for (std::uint64_t first = warp * call.together; first < all; first += step) {
    std::uint64_t const rest = all - first;
    quantiles_of_warp<Each>(call, first, rest < call.together ? unsigned(rest) : call.together);
  }
  let_next_launch_start();
}

}  // namespace tally::device
