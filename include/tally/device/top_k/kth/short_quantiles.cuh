// SPDX-License-Identifier: Apache-2.0
//
// Quantiles of each of many short rows: by a warp each, which has the keys in registers. Of one or
// two it halves the range in which a key is, by counts; of more it sorts the keys. What lies
// between two elements is long scalar code: a warp finds the keys of up to 32 quantiles, and then
// its lanes each finish one.
#pragma once

#include "tally/cuda/launch.cuh"
#include "tally/device/top_k/kth/put_quantile.cuh"
#include "tally/device/top_k/kth/sorted_warp_keys.cuh"
#include "tally/device/top_k/kth/warp_keys.cuh"

namespace tally::device {

inline constexpr unsigned fewest_of_sorted = 3;  // quantiles of a row

template <class In>
struct short_quantile_call : row_request<In, detail::gpu_quantiles> {
  unsigned together;                                         // quantiles of a warp
  detail::sorted_place places[detail::gpu_quantiles::most];  // of them in the longest rows
};

// The keys of the quantiles that the lanes of a mask have, each its own, of one row.
template <class Bits, int Each>
__device__ keys_at<Bits> keys_of_lanes(sorted_warp_keys<Bits, Each> const& row, unsigned,
                                       detail::sorted_place const& place) {
  unsigned const rank = unsigned(place.index) + 1;
  return {Bits(row.at(rank)), Bits(row.at(rank + place.is_between()))};
}
template <class Bits, int Each>
__device__ keys_at<Bits> keys_of_lanes(warp_keys<Bits, Each> const& row, unsigned lanes,
                                       detail::sorted_place const& place) {
  keys_at<Bits> keys{};
#pragma unroll 1
  for (; lanes; lanes &= lanes - 1) {
    int const i = __ffs(int(lanes)) - 1;
    unsigned const k = warp::broadcast(unsigned(place.index), i) + 1;
    auto const here = row.at(k);
    auto const next = warp::broadcast(place.is_between(), i) ? row.behind(here, k) : here.key;
    if (int(threadIdx.x % 32) == i) keys = {Bits(here.key), Bits(next)};
  }
  return keys;
}

// Up to 32 quantiles from number `first` on, of which each row has how.count.
template <class Keys, class Call>
__device__ void quantiles_of_warp(Call const& call, std::uint64_t first, unsigned count) {
  using bits = typename Call::bits;
  auto const& how = call.how;
  unsigned const lane = threadIdx.x % 32;
  // A lane's own quantile, or that of the last one that has any.
  std::uint64_t const number = first + (lane < count ? lane : count - 1);
  std::uint64_t const r = number / how.count, begin = std::uint64_t(call.rows.begin(r));
  unsigned const q = unsigned(number % how.count), size = unsigned(call.rows.size(r));
  auto place = size == call.rows.length ? call.places[q] : detail::sorted_place{};
  keys_at<bits> keys{};
  bool is_nan = true;
#pragma unroll 1
  for (unsigned i = 0, after; i < count; i = after) {
    // The lanes of one row.
    std::uint64_t const here = warp::broadcast(r, int(i));
    bool const is_mine = lane < count && r == here;
    unsigned const lanes = __ballot_sync(~0u, is_mine);
    after = 32 - unsigned(__clz(int(lanes)));
    unsigned const all = warp::broadcast(size, int(i));
    Keys row;
    row.read(row_of(call.in, warp::broadcast(begin, int(i)), all), call.order);
    unsigned const n = call.order.sign ? row.above_0() : all;
    if (n == 0 || (n < all && !how.skips_nan)) continue;
    if (n < call.rows.length && is_mine) place = detail::place_of(how.method, n, how.q[q]);
    auto const found = keys_of_lanes(row, lanes, place);
    if (is_mine) keys = found, is_nan = false;
  }
  if (lane < count) put_quantile(call, r, q, is_nan ? nullptr : &keys, place);
}

template <int Each, class In>
__global__ void __launch_bounds__(32 * warps_of_short_rows, blocks_of_short_rows<Each>)
    short_quantiles(__grid_constant__ short_quantile_call<In> const call) {
  await_launches_before();
  std::uint64_t const all = call.rows.count * call.how.count;
  std::uint64_t const step = std::uint64_t(gridDim.x) * warps_of_short_rows * call.together;
  std::uint64_t const warp = std::uint64_t(blockIdx.x) * warps_of_short_rows + threadIdx.x / 32;
#pragma unroll 1
  for (std::uint64_t first = warp * call.together; first < all; first += step) {
    std::uint64_t const rest = all - first;
    unsigned const count = rest < call.together ? unsigned(rest) : call.together;
    if (call.how.count >= fewest_of_sorted)
      quantiles_of_warp<sorted_warp_keys<bits_of<typename In::element>, Each>>(call, first, count);
    else
      quantiles_of_warp<warp_keys<bits_of<typename In::element>, Each>>(call, first, count);
  }
  let_next_launch_start();
}

}  // namespace tally::device
