// SPDX-License-Identifier: Apache-2.0
//
// Reductions of rows by groups of lanes: each group has a row, or a part of a long one, and many
// loads are in flight because there are many groups. A group of one lane has a column, whose
// neighbours are the other lanes'. This file names no aggregate.
#pragma once

#include "tally/cuda/launch.cuh"
#include "tally/cuda/thread_index.cuh"
#include "tally/device/grid/workspace.hpp"
#include "tally/device/reduce/agent/plain.cuh"
#include "tally/device/reduce/kernel.cuh"
#include "tally/device/reduce/rows/input.cuh"
#include "tally/device/reduce/rows/plan.cuh"
#include "tally/warp/shuffle.cuh"

namespace tally::device {

inline constexpr unsigned lanes_threads = detail::lanes_of_a_block;
// Blocks of a multiprocessor, or more, whose lanes have so many sums each beside what they load.
template <class Lanes, int sums>
inline constexpr unsigned lanes_blocks = [] {
  constexpr unsigned registers = 40 + unsigned(sums * sizeof(typename Lanes::sum)) / 4;
  constexpr unsigned fit = 256 / registers;
  return fit > 4 ? 4u : fit < 1 ? 1u : fit;
}();

// Rows whose results are in doubt; `count` is zero between launches.
struct doubtful_rows {
  unsigned long long* count;
  std::uint64_t* row;  // room for all
  unsigned* pieces;    // of each, how many have been tried again; or null

  __device__ void add(std::uint64_t r) const {
    auto const i = atomicAdd(count, 1ull);
    row[i] = r;
    if (pieces) pieces[i] = 0;
  }
};

template <class Lanes, class In>
struct lanes_call {
  In in;
  rows<typename Lanes::result> out;
  Lanes lanes;
  bool together;              // each row's elements lie side by side
  unsigned group;             // lanes of a row: a power of two
  std::uint64_t parts, part;  // each row is of so many parts, of so many elements
  typename Lanes::sum* sums;  // of all rows' first parts, then their second ones, ...
  doubtful_rows doubt;
};

// Writes the result of a row, or that it is in doubt.
template <class Lanes, class In>
__device__ void finish_row(lanes_call<Lanes, In> const& call, std::uint64_t r,
                           typename Lanes::sum const& s) {
  typename Lanes::result result;
  if (call.lanes.finish(s, call.in.size(r), result))
    call.out.data[call.out.begin(r)] = result;
  else
    call.doubt.add(r);
}

// The sum of all lanes of a group, in all of them.
template <class Lanes>
__device__ typename Lanes::sum fold_group(Lanes const& lanes, typename Lanes::sum s,
                                          unsigned group) {
#pragma unroll 1
  for (unsigned run = 1; run < group; run *= 2) s = lanes.combine(s, warp::exchange(s, int(run)));
  return s;
}

// What one of the lanes of a group has of a row's elements [begin, end).
template <class Lanes, class In>
__device__ typename Lanes::sum add_some(Lanes const& lanes, In const& in, bool together,
                                        std::uint64_t r, std::uint64_t begin, std::uint64_t end,
                                        unsigned lane, unsigned group) {
  auto sum = lanes.none();
  auto const row = in.row(r);
  for_vectors(
      row, together, begin, end, lane, group,
      [&](auto const& from, std::uint64_t first, std::uint64_t vectors) {
        using source = std::remove_cvref_t<decltype(from)>;
        constexpr int each = source::each, loads = source::loads;
#pragma unroll 1
        for (std::uint64_t v = lane; v < vectors; v += std::uint64_t(loads) * group) {
          typename source::template batch_type<loads> x;
#pragma unroll
          for (int j = 0; j < loads; ++j)
            if (v + j * group < vectors) from.load(x, j, v + j * group);
#pragma unroll
          for (int j = 0; j < loads; ++j) {
            if (v + j * group >= vectors) break;
            add_vector(lanes, sum, values_of_vector(from, x, j), first + (v + j * group) * each);
          }
        }
      },
      [&](std::uint64_t i) { lanes.add(sum, row[i], i); });
  return sum;
}

template <class Lanes, class In>
__global__ void __launch_bounds__(lanes_threads)
    reduce_rows_by_lanes(__grid_constant__ lanes_call<Lanes, In> const call) {
  await_launches_before();
  auto const thread = std::uint64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  auto const groups = std::uint64_t(gridDim.x) * blockDim.x / call.group;
  unsigned const lane = threadIdx.x % call.group;
  std::uint64_t const rows = call.in.layout().count, all = rows * call.parts;
  // All lanes of a warp go round equally often, for their shuffles.
  std::uint64_t const first = thread / call.group,
                      first_of_warp = thread / warp_size * warp_size / call.group;
#pragma unroll 1
  for (std::uint64_t at = first, warps = first_of_warp; warps < all;
       at += groups, warps += groups) {
    bool const is = at < all;
    std::uint64_t const p = call.parts > 1 ? at / rows : 0, r = is ? at - p * rows : 0;
    std::uint64_t const n = is ? call.in.size(r) : 0, begin = p * call.part < n ? p * call.part : n;
    std::uint64_t const end = p + 1 < call.parts && n - begin > call.part ? begin + call.part : n;
    auto const sum = fold_group(
        call.lanes, add_some(call.lanes, call.in, call.together, r, begin, end, lane, call.group),
        call.group);
    if (!is || lane != 0) continue;
    if (call.parts > 1)
      call.sums[at] = sum;
    else
      finish_row(call, r, sum);
  }
  let_next_launch_start();
}

// Rows of equally many whole vectors, all of which can be loaded: a group has four of them at once,
// whose sums it passes on together.
inline constexpr int log_rows_at_once = 2;
inline constexpr unsigned rows_at_once = 1 << log_rows_at_once;
static_assert(rows_at_once == detail::rows_of_a_group);
template <class Lanes, class In>
__global__ void __launch_bounds__(lanes_threads, lanes_blocks<Lanes, rows_at_once>)
    reduce_even_rows_by_lanes(__grid_constant__ lanes_call<Lanes, In> const call) {
  using source = row_source<In>;
  constexpr int each = source::each;
  auto const& lanes = call.lanes;
  await_launches_before();
  unsigned const log_group = __ffs(int(call.group)) - 1, group = threadIdx.x >> log_group;
  unsigned const lane = threadIdx.x & (call.group - 1), groups = lanes_threads >> log_group;
  std::uint64_t const count = call.in.layout().count;
  std::uint64_t const first = std::uint64_t(blockIdx.x) * (groups * rows_at_once) + group;
  auto const row_of = [&](unsigned j) {
    std::uint64_t const r = first + j * groups;
    return source_of(side_by_side(call.in.row(r < count ? r : 0)));
  };
  source const row[rows_at_once] = {row_of(0), row_of(1), row_of(2), row_of(3)};
  typename Lanes::sum sum[rows_at_once];
#pragma unroll
  for (unsigned j = 0; j < rows_at_once; ++j) sum[j] = lanes.none();
#pragma unroll 1
  for (unsigned v = lane; v < call.part / each; v += call.group) {
    typename source::template batch_type<rows_at_once> x;
#pragma unroll
    for (unsigned j = 0; j < rows_at_once; ++j) row[j].load(x, int(j), v);
#pragma unroll
    for (unsigned j = 0; j < rows_at_once; ++j)
      add_vector(lanes, sum[j], values_of_vector(row[j], x, int(j)), std::uint64_t(v) * each);
  }
  // Half of the rows go to a lane's neighbour, half of the rest to the one behind that.
  unsigned mine = 0;
#pragma unroll
  for (int step = 0; step < log_rows_at_once; ++step) {
    int const half = int(rows_at_once) >> (step + 1);
    bool const upper = lane >> step & 1;
#pragma unroll
    for (int j = 0; j < half; ++j) {
      auto kept = sum[j], given = sum[j + half];
      if (upper) kept = sum[j + half], given = sum[j];
      sum[j] = lanes.combine(kept, warp::exchange(given, 1 << step));
    }
    if (upper) mine += unsigned(half);
  }
#pragma unroll 1
  for (unsigned run = rows_at_once; run < call.group; run *= 2)
    sum[0] = lanes.combine(sum[0], warp::exchange(sum[0], int(run)));
  // As few warps as can be finish the block's rows, because that may take long.
  __shared__ fold_places<typename Lanes::sum, int(lanes_threads)> of_row;
  if (lane < rows_at_once) of_row[mine * groups + group] = sum[0];
  __syncthreads();
  std::uint64_t const r = std::uint64_t(blockIdx.x) * (groups * rows_at_once) + threadIdx.x;
  if (threadIdx.x < groups * rows_at_once && r < count) finish_row(call, r, of_row[threadIdx.x]);
  let_next_launch_start();
}

// What a lane has of so many neighbouring columns, from the first one on: every `step`-th element
// of [begin, end).
template <class Lanes, class In, int Each>
__device__ void add_columns(lanes_call<Lanes, In> const& call, std::uint64_t first,
                            std::uint64_t begin, std::uint64_t end, unsigned step,
                            typename Lanes::sum (&sum)[Each]) {
  using source = row_source<In>;
  constexpr unsigned loads = 4;
#pragma unroll 1
  for (std::uint64_t i = begin; i < end; i += loads * step) {
    typename source::template batch_type<loads> x;
#pragma unroll
    for (unsigned j = 0; j < loads; ++j)
      if (i + j * step < end)
        source_of(side_by_side(call.in.across(first, i + j * step))).load(x, int(j), 0);
#pragma unroll
    for (unsigned j = 0; j < loads; ++j) {
      if (i + j * step >= end) break;
      auto const from = source_of(side_by_side(call.in.across(first, i + j * step)));
      for_skipping(call.lanes, [&](auto const& lanes) {
#pragma unroll
        for (int k = 0; k < Each; ++k)
          add_next(lanes, sum[k], from.value(x, int(j) * Each + k), i + j * step);
      });
    }
  }
}

// Columns of which vectors can be loaded: a lane has as many neighbours as a vector has elements. A
// group is the lanes of vectors beside one another; those of a block share a part of these columns.
template <class Lanes, class In>
__global__ void __launch_bounds__(lanes_threads, lanes_blocks<Lanes, row_source<In>::each>)
    reduce_columns_by_lanes(__grid_constant__ lanes_call<Lanes, In> const call) {
  constexpr int each = row_source<In>::each;
  __shared__ fold_places<typename Lanes::sum, int(lanes_threads)> shared;
  auto const& lanes = call.lanes;
  await_launches_before();
  std::uint64_t const columns = call.in.layout().count, n = call.in.layout().length;
  std::uint64_t const wide = (columns / each + call.group - 1) / call.group;
  std::uint64_t const p = call.parts > 1 ? blockIdx.x / wide : 0;
  unsigned const lane = threadIdx.x % call.group, slice = threadIdx.x / call.group;
  unsigned const slices = lanes_threads / call.group;
  std::uint64_t const first = ((blockIdx.x - p * wide) * call.group + lane) * each;
  bool const is = first < columns;
  std::uint64_t const begin = p * call.part, end = p + 1 < call.parts ? begin + call.part : n;
  typename Lanes::sum sum[each];
#pragma unroll
  for (int k = 0; k < each; ++k) sum[k] = lanes.none();
  if (is) add_columns(call, first, begin + slice, end, slices, sum);
  auto const put = [&](int k, typename Lanes::sum const& all) {
    if (call.parts > 1)
      call.sums[p * columns + first + k] = all;
    else
      finish_row(call, first + k, all);
  };
#pragma unroll
  for (int k = 0; k < each; ++k) {
    if (slices == 1) {
      if (is) put(k, sum[k]);
      continue;
    }
    shared[threadIdx.x] = sum[k];
    __syncthreads();
    if (is && slice == unsigned(k) % slices) {
      auto all = shared[lane];
#pragma unroll 1
      for (unsigned i = 1; i < slices; ++i) all = lanes.combine(all, shared[i * call.group + lane]);
      put(k, all);
    }
    __syncthreads();
  }
  let_next_launch_start();
}

// A sum in memory, read in words as wide as it is aligned to.
template <class Sum>
__device__ Sum read_sum(Sum const* from) {
  using word = std::conditional_t<alignof(Sum) % 8 == 0, unsigned long long, unsigned>;
  if constexpr (alignof(Sum) < sizeof(unsigned)) {
    return *from;
  } else {
    word words[sizeof(Sum) / sizeof(word)];
#pragma unroll
    for (unsigned i = 0; i < sizeof(Sum) / sizeof(word); ++i)
      words[i] = reinterpret_cast<word const*>(from)[i];
    Sum sum;
    memcpy(static_cast<void*>(&sum), words, sizeof sum);
    return sum;
  }
}

// Puts the parts of each row together, by a group a row, or by a block.
template <class Lanes, class In>
__global__ void __launch_bounds__(lanes_threads)
    combine_parts_of_rows(__grid_constant__ lanes_call<Lanes, In> const call) {
  constexpr unsigned warps = lanes_threads / warp_size;
  __shared__ fold_places<typename Lanes::sum, int(warps)> of_warp;
  auto const& lanes = call.lanes;
  await_launches_before();
  auto const thread = std::uint64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  std::uint64_t const rows = call.in.layout().count, r = thread / call.group;
  unsigned const lane = threadIdx.x % call.group;
  auto sum = lanes.none();
  if (r < rows)
#pragma unroll 4
    for (std::uint64_t p = lane; p < call.parts; p += call.group)
      sum = lanes.combine(sum, read_sum(call.sums + (p * rows + r)));
  bool const by_block = call.group > warp_size;
  sum = fold_group(lanes, sum, by_block ? warp_size : call.group);
  if (by_block) {
    if (threadIdx.x % warp_size == 0) of_warp[threadIdx.x / warp_size] = sum;
    __syncthreads();
    if (lane == 0)
      for (unsigned w = 1; w < warps; ++w) sum = lanes.combine(sum, of_warp[w]);
  }
  if (r < rows && lane == 0) finish_row(call, r, sum);
  let_next_launch_start();
}

}  // namespace tally::device
