// SPDX-License-Identifier: Apache-2.0
//
// Reductions of rows whose operator neither commutes nor forgives another grouping: lanes a row,
// along the aligned binary tree over the row's index, as of a whole array (ordered.cuh). Of columns
// a lane has one, or a subtree of it, and its neighbours have those beside it. This file names no
// aggregate.
#pragma once

#include "tally/cuda/launch.cuh"
#include "tally/device/identity.cuh"
#include "tally/device/reduce/ordered.cuh"
#include "tally/device/reduce/rows/by_lanes.cuh"
#include "tally/device/reduce/rows/input.cuh"

namespace tally::device {

// `A` has an identity.
template <aggregate A, class In>
struct ordered_rows_call {
  In in;
  rows<typename A::result> out;
  A a;
  bool skips_nan, together;
  unsigned group;  // lanes of a row: a power of two
};

// The nodes of a row's tree that have no right sibling yet: one a level, where the number of chunks
// has a bit. One lane has them.
template <aggregate A>
class left_nodes {
 public:
  using state = typename A::state;

  __device__ void push(A const& a, state node) {
    int level = 0;
    for (; chunks_ >> level & 1; ++level) node = a.combine(left_[level], node);
    left_[level] = node;
    ++chunks_;
  }
  __device__ state root(A const& a) const {
    if (chunks_ == 0) return a.identity();
    int level = 0;
    while (!(chunks_ >> level & 1)) ++level;
    state all = left_[level];
    for (++level; chunks_ >> level != 0; ++level)
      if (chunks_ >> level & 1) all = a.combine(left_[level], all);
    return all;
  }

 private:
  state left_[64];
  std::uint64_t chunks_ = 0;
};

// The node over a chunk of a row, `each` neighbours a lane, in the first lane. What is not there
// counts as the identity, which changes no bits.
template <aggregate A, class In>
__device__ typename A::state node_of_chunk(ordered_rows_call<A, In> const& call,
                                           row_of_input<In> const& row, std::uint64_t first) {
  using source = row_source<In>;
  using element = typename A::element;
  constexpr int each = source::each;
  std::uint64_t const mine = first + threadIdx.x % call.group * each;
  typename A::state node[each];
  auto const put = [&](int k, element const& x) {
    bool skipped = false;
    if constexpr (has_nan<element>) skipped = call.skips_nan && is_nan(x);
    node[k] = skipped ? call.a.identity() : call.a.lift(x, mine + k);
  };
  auto const whole = source_of(side_by_side(row)).from(mine);
  if (call.together && mine + each <= row.size() && whole.is_aligned(0)) {
    typename source::template batch_type<1> x;
    whole.load(x, 0, 0);
#pragma unroll
    for (int k = 0; k < each; ++k) put(k, whole.value(x, k));
  } else {
#pragma unroll
    for (int k = 0; k < each; ++k)
      if (mine + k < row.size())
        put(k, row[mine + k]);
      else
        node[k] = call.a.identity();
  }
  auto all = fold_neighbours(call.a, node);
  if (call.group == warp_size) return fold_lanes(call.a, all);
#pragma unroll 1
  for (unsigned run = 1; run < call.group; run *= 2) {
    auto const next = warp::shift_down(all, int(run));
    if (threadIdx.x % (2 * run) == 0) all = call.a.combine(all, next);
  }
  return all;
}

template <aggregate A, class In>
__global__ void __launch_bounds__(lanes_threads)
    reduce_rows_in_order(__grid_constant__ ordered_rows_call<A, In> const call) {
  await_launches_before();
  auto const thread = std::uint64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  auto const groups = std::uint64_t(gridDim.x) * blockDim.x / call.group;
  std::uint64_t const rows = call.in.layout().count, chunk = row_source<In>::each * call.group;
  std::uint64_t const first_of_warp = thread / warp_size * warp_size / call.group;
#pragma unroll 1
  for (std::uint64_t at = thread / call.group, warps = first_of_warp; warps < rows;
       at += groups, warps += groups) {
    auto row = call.in.row(at < rows ? at : 0);
    std::uint64_t longest = at < rows ? row.size() : 0;  // of the warp's, for their shuffles
#pragma unroll 1
    for (unsigned run = call.group; run < warp_size; run *= 2) {
      auto const other = warp::exchange(longest, int(run));
      if (other > longest) longest = other;
    }
    left_nodes<A> nodes;
#pragma unroll 1
    for (std::uint64_t first = 0; first < longest; first += chunk) {
      auto const node = node_of_chunk(call, row, first);
      if (threadIdx.x % call.group == 0 && first < row.size()) nodes.push(call.a, node);
    }
    if (threadIdx.x % call.group == 0 && at < rows)
      call.out.data[call.out.begin(at)] = lower_or_none(call.a, nodes.root(call.a));
  }
  let_next_launch_start();
}

// Columns are of so many parts, each of so many elements: a power of two, and at least a chunk.
template <aggregate A, class In>
struct ordered_columns_call {
  In in;
  rows<typename A::result> out;
  A a;
  bool skips_nan;
  std::uint64_t parts, part;
  typename A::state* nodes;  // over all columns' first parts, then their second ones, ...
};

// How many elements or nodes a lane reads at once.
template <class State>
inline constexpr int column_chunk = sizeof(State) <= 4    ? 16
                                    : sizeof(State) <= 16 ? 8
                                                          : 2;

// The node over [begin, end) of a column: make(x, i) is the node of what read(i) reads.
template <aggregate A, class Read, class Make>
__device__ typename A::state root_of_column(A const& a, std::uint64_t begin, std::uint64_t end,
                                            Read read, Make make) {
  constexpr int chunk = column_chunk<typename A::state>;
  left_nodes<A> nodes;
#pragma unroll 1
  for (std::uint64_t first = begin; first < end; first += chunk) {
    decltype(read(first)) x[chunk];
    typename A::state node[chunk];
    int const there = end - first < chunk ? int(end - first) : chunk;
    if (there == chunk) {  // in places of their own, without comparisons
#pragma unroll
      for (int k = 0; k < chunk; ++k) x[k] = read(first + k);
#pragma unroll
      for (int k = 0; k < chunk; ++k) node[k] = make(x[k], first + k);
    } else {
#pragma unroll
      for (int k = 0; k < chunk; ++k)
        node[k] = k < there ? make(read(first + k), first + k) : a.identity();
    }
    nodes.push(a, fold_neighbours(a, node));
  }
  return nodes.root(a);
}

template <aggregate A, class In>
__global__ void __launch_bounds__(lanes_threads)
    reduce_columns_in_order(__grid_constant__ ordered_columns_call<A, In> const call) {
  await_launches_before();
  std::uint64_t const count = call.in.layout().count;
  auto const at = std::uint64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (at < count * call.parts) {
    std::uint64_t const p = call.parts > 1 ? at / count : 0, r = at - p * count;
    auto const column = call.in.row(r);
    std::uint64_t const n = column.size(), begin = p * call.part < n ? p * call.part : n;
    std::uint64_t const end = n - begin > call.part ? begin + call.part : n;
    auto const make = [&](typename A::element const& x, std::uint64_t i) {
      bool skipped = false;
      if constexpr (has_nan<typename A::element>) skipped = call.skips_nan && is_nan(x);
      return skipped ? call.a.identity() : call.a.lift(x, i);
    };
    auto const node =
        root_of_column(call.a, begin, end, [&](std::uint64_t i) { return column[i]; }, make);
    if (call.parts > 1)
      call.nodes[at] = node;
    else
      call.out.data[call.out.begin(r)] = lower_or_none(call.a, node);
  }
  let_next_launch_start();
}

// Puts the parts of columns together, up to so many of some neighbouring ones by a block.
inline constexpr unsigned most_parts_in_order = 4096, columns_of_a_block = 8;
template <aggregate A, class In>
__global__ void __launch_bounds__(lanes_threads)
    combine_columns_in_order(__grid_constant__ ordered_columns_call<A, In> const call) {
  constexpr unsigned lanes = lanes_threads / columns_of_a_block;  // of a column
  constexpr unsigned each = most_parts_in_order / lanes;          // parts of a lane
  __shared__ fold_places<typename A::state, int(lanes_threads)> shared;
  await_launches_before();
  std::uint64_t const count = call.in.layout().count;
  unsigned const lane = threadIdx.x / columns_of_a_block;
  std::uint64_t const r =
      std::uint64_t(blockIdx.x) * columns_of_a_block + threadIdx.x % columns_of_a_block;
  std::uint64_t const end = r < count ? call.parts : 0;
  auto const read = [&](std::uint64_t p) { return read_sum(call.nodes + (p * count + r)); };
  std::uint64_t const first = lane * each < end ? lane * each : end;
  std::uint64_t const last = end - first > each ? first + each : end;
  auto all = root_of_column(call.a, first, last, read,
                            [](typename A::state const& node, std::uint64_t) { return node; });
#pragma unroll 1
  for (unsigned run = 1; run < lanes; run *= 2) {
    shared[threadIdx.x] = all;
    __syncthreads();
    if (lane % (2 * run) == 0)
      all = call.a.combine(all, shared[threadIdx.x + run * columns_of_a_block]);
    __syncthreads();
  }
  if (lane == 0 && r < count) call.out.data[call.out.begin(r)] = lower_or_none(call.a, all);
  let_next_launch_start();
}

}  // namespace tally::device
