// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "ladder/judge.hpp"
#include "ladder/operators.cuh"
#include "ladder/rows/judge_sums.hpp"
#include "ladder/rung.hpp"
#include "tally/cuda/launch.cuh"

// What the rungs of the ladder `rows` share: everything but who adds up what.
namespace ladder::rows {

// n numbers in rows of `width`; the last row may be shorter.
struct matrix {
  std::size_t n, width, rows = (n + width - 1) / width;

  __host__ __device__ std::size_t begin(std::size_t row) const { return row * width; }
  __host__ __device__ std::size_t end(std::size_t row) const {
    return row + 1 < rows ? begin(row + 1) : n;
  }
};

// The shapes that n numbers have in this ladder.
inline matrix square(std::size_t n) {
  return {n, std::max<std::size_t>(std::size_t(std::ceil(std::sqrt(double(n)))), 1)};
}
inline matrix of_16_columns(std::size_t n) { return {n, std::clamp<std::size_t>(n, 1, 16)}; }
inline matrix of_64_columns(std::size_t n) { return {n, std::clamp<std::size_t>(n, 1, 64)}; }
inline matrix of_4_rows(std::size_t n) { return {n, std::max<std::size_t>((n + 3) / 4, 1)}; }

template <class T>
using total_of = typename sum<T>::state;

// Calls run(in, out) with the problem's arrays.
template <class Run>
void with_arrays(problem const& p, Run run) {
  p.type == element::float32 ? run(static_cast<float const*>(p.in), static_cast<float*>(p.out))
                             : run(static_cast<int const*>(p.in), static_cast<long long*>(p.out));
}

// A rung whose call gives count(n) sums, the i-th of the numbers of(n, i):
// enqueue(problem, in, out) where there are any numbers.
template <class Count, class Of, class Enqueue>
rung sums(rung r, Count count, Of of, Enqueue enqueue) {
  auto const out_bytes = [=](problem const& p) {
    return count(p.n) * result_bytes(operation::sum, p.type);
  };
  r.operations = {operation::sum};
  r.elements = {element::float32, element::int32};
  r.inputs = {data::plain, data::hard, data::nan};
  r.out_bytes = out_bytes;
  r.out_alignment = [](problem const& p) { return result_bytes(operation::sum, p.type); };
  r.must_move = [=](problem const& p) { return p.n * 4 + out_bytes(p); };
  r.enqueue = [=](problem const& p) {
    if (p.n > 0) with_arrays(p, [&](auto const* in, auto* out) { enqueue(p, in, out); });
  };
  r.judge = [=](outcome const& run) {
    return judge_sums(run, [&](std::size_t i) { return of(run.given.n, i); });
  };
  return r;
}

// The sums of the rows of shape(n), or of its columns: enqueue(problem, matrix, in, out).
template <class Enqueue>
rung row_sums(rung r, matrix (*shape)(std::size_t n), Enqueue enqueue) {
  return sums(
      r, [=](std::size_t n) { return shape(n).rows; },
      [=](std::size_t n, std::size_t i) -> summands {
        auto const m = shape(n);
        return {m.begin(i), m.end(i) - m.begin(i)};
      },
      [=](problem const& p, auto const* in, auto* out) { enqueue(p, shape(p.n), in, out); });
}
template <class Enqueue>
rung column_sums(rung r, matrix (*shape)(std::size_t n), Enqueue enqueue) {
  return sums(
      r, [=](std::size_t n) { return std::min(n, shape(n).width); },
      [=](std::size_t n, std::size_t i) -> summands {
        auto const width = shape(n).width;
        return {i, (n - i + width - 1) / width, width};
      },
      [=](problem const& p, auto const* in, auto* out) { enqueue(p, shape(p.n), in, out); });
}

inline unsigned whole_warps(unsigned block) { return (block + 31) / 32 * 32; }

__device__ inline std::size_t thread_of_grid() {
  return std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
}
__device__ inline std::size_t threads_of_grid() { return std::size_t{gridDim.x} * blockDim.x; }

// The sum of every `step`-th of the numbers from `begin` on, before `end`.
template <class T>
__device__ total_of<T> every_nth(T const* in, std::size_t begin, std::size_t end,
                                 std::size_t step) {
  sum<T> const add;
  total_of<T> total = 0;
  for (std::size_t i = begin; i < end; i += step) total = add(total, in[i]);
  return total;
}

// The sum of the x of `lanes` neighbouring lanes, in the first of them. The whole warp calls.
template <unsigned lanes = 32, class T>
__device__ T warp_total(T x) {
  sum<T> const add;
#pragma unroll
  for (unsigned by = lanes / 2; by > 0; by /= 2) x = add(x, __shfl_down_sync(~0u, x, by, lanes));
  return x;
}

// The sum of the x of a block of whole warps, in thread 0 only; may be called again.
template <class T>
__device__ T block_total(T x) {
  __shared__ T of_warp[32];
  unsigned const warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  x = warp_total(x);
  if (lane == 0) of_warp[warp] = x;
  __syncthreads();
  if (warp == 0) x = warp_total(lane < blockDim.x / 32 ? of_warp[lane] : T{0});
  __syncthreads();
  return x;
}

}  // namespace ladder::rows
