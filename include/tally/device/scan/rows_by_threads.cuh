// SPDX-License-Identifier: Apache-2.0
//
// Scans of very many rows whose elements are apart, as columns: a thread a row. Where rows lie side
// by side, so do the elements that neighbouring threads read.
#pragma once

#include "tally/cuda/launch.cuh"
#include "tally/device/scan/tile.cuh"

namespace tally::device {

inline constexpr int thread_rows_threads = 256;

// A row as its thread has it; positions count in the direction of the scan.
template <class In, class Out>
struct thread_row {
  In const* from;
  Out* to;
  std::int64_t from_step, to_step;
  std::uint64_t size;
  bool reverse, exclusive;
  static constexpr int at_once = 8;  // elements that are on their way

  __device__ std::uint64_t index(std::uint64_t position) const {
    return reverse ? size - 1 - position : position;
  }
  __device__ In element(std::uint64_t position) const {
    return from[std::int64_t(index(position)) * from_step];
  }
  __device__ void put(std::uint64_t position, Out const& x) const {
    to[std::int64_t(index(position)) * to_step] = x;
  }
  // Some of them from one on, as far as they are there; In{} for the others.
  __device__ unsigned read(std::uint64_t first, In (&x)[at_once]) const {
    std::uint64_t const left = size - first;
    unsigned const count = left < unsigned(at_once) ? unsigned(left) : unsigned(at_once);
#pragma unroll
    for (unsigned k = 0; k < at_once; ++k) x[k] = k < count ? element(first + k) : In{};
    return count;
  }
};

template <class Prefix, class Source>
__global__ void __launch_bounds__(thread_rows_threads)
    scan_rows_by_threads(__grid_constant__ scan_call<Prefix, Source, row_layout> const call) {
  await_launches_before();
  std::uint64_t const all = std::uint64_t(gridDim.x) * blockDim.x;
  for (std::uint64_t r = std::uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; r < call.rows.count;
       r += all) {
    thread_row<typename Source::element, typename Prefix::result> const row{
        call.in.data + call.rows.begin(r),
        call.out + call.out_rows.begin(r),
        call.rows.step,
        call.out_rows.step,
        call.rows.size(r),
        call.reverse,
        call.exclusive};
    auto const total = call.prefix.scan_by_thread(row);
    if (call.total) call.total[r] = total;
  }
  let_next_launch_start();
}

}  // namespace tally::device
