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

// Where the place `index`, no Index's largest, is in both arrays. Divisions are quicker where it
// has 32 bits.
template <class Index>
__device__ longlong2 place_of(detail::strided_copy const& copy, Index index) {
  longlong2 at{0, 0};
#pragma unroll 1
  for (unsigned d = copy.size; d-- > 0;) {
    Index const extent = Index(copy.extent[d] < Index(-1) ? copy.extent[d] : Index(-1)),
                outer = index / extent;
    auto const i = std::int64_t(index - outer * extent);
    at.x += i * copy.from_by[d], at.y += i * copy.to_by[d];
    index = outer;
  }
  return at;
}

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
    auto const at = short_indices ? place_of(copy, std::uint32_t(i)) : place_of(copy, i);
    *reinterpret_cast<T*>(copy.to + at.y) = *reinterpret_cast<T const*>(copy.from + at.x);
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
