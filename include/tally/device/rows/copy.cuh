// SPDX-License-Identifier: Apache-2.0
//
// Rows whose elements are apart, copied side by side for kernels that read vectors, and back: by
// squares in shared memory, so that columns are read and rows written by whole lines.
#pragma once

#include "tally/cuda/launch.cuh"
#include "tally/device/launch_context.cuh"
#include "tally/rows.hpp"

namespace tally::device {

inline constexpr unsigned copying_threads = 256;
template <class T>
inline constexpr unsigned square_of = sizeof(T) <= 16 ? 32 : 8;

enum class copies { together, apart };

template <class T, copies To>
__global__ void __launch_bounds__(copying_threads)
    copy_rows(__grid_constant__ row_layout const rows, T* apart, T* together) {
  constexpr unsigned square = square_of<T>, at_once = copying_threads / square;
  alignas(16) __shared__ unsigned char memory[square * (square + 1) * sizeof(T)];
  auto const tile = [&](unsigned x, unsigned y) -> T& {  // in which no constructor has run
    return reinterpret_cast<T*>(memory)[x * (square + 1) + y];
  };
  await_launches_before();
  unsigned const x = threadIdx.x % square, first = threadIdx.x / square;
  std::uint64_t const across = (rows.count + square - 1) / square,
                      along = (rows.length + square - 1) / square;
  auto const lies_apart = [&](std::uint64_t r, std::uint64_t i) -> T& {
    return apart[rows.begin(r) + std::int64_t(i) * rows.step];
  };
  auto const exists = [&](std::uint64_t r, std::uint64_t i) {
    return r < rows.count && i < rows.size(r);
  };
#pragma unroll 1
  for (std::uint64_t at = blockIdx.x; at < across * along; at += gridDim.x) {
    std::uint64_t const row = at % across * square, element = at / across * square;
    for (unsigned y = first; y < square; y += at_once) {
      if (To == copies::together && exists(row + x, element + y))
        tile(y, x) = lies_apart(row + x, element + y);
      if (To == copies::apart && exists(row + y, element + x))
        tile(x, y) = together[(row + y) * rows.length + element + x];
    }
    __syncthreads();
    for (unsigned y = first; y < square; y += at_once) {
      if (To == copies::together && exists(row + y, element + x))
        together[(row + y) * rows.length + element + x] = tile(x, y);
      if (To == copies::apart && exists(row + x, element + y))
        lies_apart(row + x, element + y) = tile(y, x);
    }
    __syncthreads();
  }
}

}  // namespace tally::device

namespace tally::detail {

// Rows of the same lengths that follow one another.
inline row_layout side_by_side(row_layout const& rows) {
  return {.count = rows.count,
          .length = rows.length,
          .stride = std::int64_t(rows.length),
          .lengths = rows.lengths,
          .lengths_from = rows.lengths_from};
}

template <device::copies To, class T, launch_context Context>
void copy_rows_on_gpu(Context& context, row_layout const& rows, T const* apart, T const* together) {
  constexpr unsigned square = device::square_of<T>;
  std::uint64_t const squares =
      ((rows.count + square - 1) / square) * ((rows.length + square - 1) / square);
  if (squares == 0) return;
  auto const blocks = std::min<std::uint64_t>(squares, 16 * unsigned(context.multiprocessors()));
  launch_early<device::copy_rows<T, To>>(unsigned(blocks), device::copying_threads, 0,
                                         context.stream())(rows, const_cast<T*>(apart),
                                                           const_cast<T*>(together));
}

}  // namespace tally::detail
