// SPDX-License-Identifier: Apache-2.0
//
// Elements of arrays of any strides, copied place by place: neighbouring threads have neighbouring
// places of the loops, so that what lies side by side in either array is accessed together.
#pragma once

#include <algorithm>

#include "tally/cuda/launch.cuh"
#include "tally/device/launch_context.cuh"
#include "tally/strides.hpp"

namespace tally::device {

inline constexpr unsigned strided_copy_threads = 256;

template <class T>
__global__ void __launch_bounds__(strided_copy_threads)
    copy_strided(__grid_constant__ detail::strided_copy const copy) {
  await_launches_before();
  std::uint64_t const end = copy.first + copy.count;
  bool const short_indices = end <= 0xffffffffu;
  std::uint64_t const all = std::uint64_t(gridDim.x) * blockDim.x;
#pragma unroll 1
  for (std::uint64_t i = copy.first + std::uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < end;
       i += all) {
    auto const at =
        short_indices ? detail::place_of(copy, std::uint32_t(i)) : detail::place_of(copy, i);
    *reinterpret_cast<T*>(copy.to + at.to) = *reinterpret_cast<T const*>(copy.from + at.from);
  }
}

}  // namespace tally::device

namespace tally::detail {

template <class T, launch_context Context>
void copy_strided_on_gpu(Context& context, strided_copy const& copy) {
  if (copy.count == 0) return;
  std::uint64_t const blocks = std::min<std::uint64_t>(
      (copy.count + device::strided_copy_threads - 1) / device::strided_copy_threads,
      32 * unsigned(context.multiprocessors()));
  launch_early<device::copy_strided<T>>(unsigned(blocks), device::strided_copy_threads, 0,
                                        context.stream())(copy);
}

}  // namespace tally::detail
