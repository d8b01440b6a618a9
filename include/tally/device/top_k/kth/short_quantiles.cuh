// SPDX-License-Identifier: Apache-2.0
//
// Quantiles of each of many short rows: by a warp each, which has the keys in registers and halves
// the range in which the one at a rank is, by counts. What lies between two elements is long scalar
// code: a warp finds the keys of up to 32 quantiles one after another, and then its lanes each
// finish one.
#pragma once

#include "tally/cuda/launch.cuh"
#include "tally/device/top_k/kth/put_quantile.cuh"
#include "tally/device/top_k/kth/warp_keys.cuh"

namespace tally::device {

template <class In>
struct short_quantile_call : row_request<In, detail::gpu_quantiles> {
  unsigned together;  // quantiles of a warp
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
__global__ void __launch_bounds__(32 * warps_of_short_rows, blocks_of_short_rows<Each>)
    short_quantiles(__grid_constant__ short_quantile_call<In> const call) {
  await_launches_before();
  std::uint64_t const all = call.rows.count * call.how.count;
  std::uint64_t const step = std::uint64_t(gridDim.x) * warps_of_short_rows * call.together;
  std::uint64_t const warp = std::uint64_t(blockIdx.x) * warps_of_short_rows + threadIdx.x / 32;
#pragma unroll 1
  for (std::uint64_t first = warp * call.together; first < all; first += step) {
    std::uint64_t const rest = all - first;
    quantiles_of_warp<Each>(call, first, rest < call.together ? unsigned(rest) : call.together);
  }
  let_next_launch_start();
}

}  // namespace tally::device
