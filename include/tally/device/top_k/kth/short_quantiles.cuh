// SPDX-License-Identifier: Apache-2.0
//
// Quantiles of each of many short rows: by a warp each, which has the keys in registers and halves
// the range in which the one at a rank is, by counts. What lies between two elements is long scalar
// code: a warp finds the keys of up to 32 quantiles one after another, and then its lanes each
// finish one.
#pragma once

#include "tally/cuda/launch.cuh"
#include "tally/device/rows/row.cuh"
#include "tally/device/top_k/kth/put_quantile.cuh"
#include "tally/warp/reduce.cuh"

namespace tally::device {

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
