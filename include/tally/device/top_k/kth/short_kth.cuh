// SPDX-License-Identifier: Apache-2.0
//
// The k-th value of each of many short rows, and its index: by a warp each.
#pragma once

#include "tally/cuda/launch.cuh"
#include "tally/device/top_k/kth/warp_keys.cuh"
#include "tally/device/top_k/request.hpp"

namespace tally::device {

template <class In>
using short_kth_call = row_request<In, detail::gpu_kth<bits_of<typename In::element>>>;

// By a warp.
template <int Each, class In>
__device__ void kth_of_short_row(short_kth_call<In> const& call, std::uint64_t r) {
  using bits = bits_of<typename In::element>;
  auto const& how = call.how;
  bool const speaks = threadIdx.x % 32 == 0;
  auto const row = row_of(call.in, std::uint64_t(call.rows.begin(r)), call.rows.size(r));
  warp_keys<bits, Each> keys;
  keys.read(row, call.order);
  unsigned const size = unsigned(row.count), k = how.k <= size ? unsigned(how.k) : 0;
  // The key 0 is that of what the order skips.
  if (k == 0 || (call.order.skips && k > keys.above_0())) {
    if (speaks) how.values[r] = how.missing, how.indices[r] = -1;
    return;
  }
  unsigned const index = keys.index_of(keys.at(k).key, k, size);
  if (speaks) how.values[r] = row[index], how.indices[r] = std::int64_t(index);
}

template <int Each, class In>
__global__ void __launch_bounds__(32 * warps_of_short_rows, blocks_of_short_rows<Each>)
    short_kth_values(__grid_constant__ short_kth_call<In> const call) {
  await_launches_before();
  std::uint64_t const step = std::uint64_t(gridDim.x) * warps_of_short_rows;
  std::uint64_t const warp = std::uint64_t(blockIdx.x) * warps_of_short_rows + threadIdx.x / 32;
#pragma unroll 1
  for (std::uint64_t r = warp; r < call.rows.count; r += step) kth_of_short_row<Each>(call, r);
  let_next_launch_start();
}

}  // namespace tally::device
