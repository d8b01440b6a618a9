// SPDX-License-Identifier: Apache-2.0
//
// A step for each index below some number, by a device's threads: neighbouring ones at a time.
#pragma once

#include <algorithm>

#include "tally/cuda/launch.cuh"
#include "tally/device/launch_context.cuh"

namespace tally::device {

inline constexpr unsigned each_index_threads = 256;

template <class Step>
__global__ void __launch_bounds__(each_index_threads)
    each_index(__grid_constant__ Step const step, std::uint64_t count) {
  await_launches_before();
  std::uint64_t const all = std::uint64_t(gridDim.x) * blockDim.x;
#pragma unroll 1
  for (std::uint64_t i = std::uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += all)
    step(i);
}

}  // namespace tally::device

namespace tally::detail {

template <launch_context Context, class Step>
void for_each_index_on_gpu(Context& context, std::uint64_t count, Step const& step) {
  if (count == 0) return;
  constexpr unsigned threads = device::each_index_threads;
  std::uint64_t const blocks = std::min<std::uint64_t>((count + threads - 1) / threads,
                                                       32 * unsigned(context.multiprocessors()));
  launch_early<device::each_index<Step>>(unsigned(blocks), threads, 0, context.stream())(step,
                                                                                         count);
}

}  // namespace tally::detail
