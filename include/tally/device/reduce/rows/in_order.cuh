// SPDX-License-Identifier: Apache-2.0
//
// Reductions of rows whose operator neither commutes nor forgives another grouping: along the
// aligned binary tree over the row's index, as of a whole array (ordered.cuh). A group of lanes has
// a row, or a subtree of a long one; of columns a lane has one, or a subtree of it, and its
// neighbours have those beside it. This file names no aggregate.
#pragma once

#include "tally/cuda/launch.cuh"
#include "tally/device/identity.cuh"
#include "tally/device/reduce/ordered.cuh"
#include "tally/device/reduce/rows/by_lanes.cuh"
#include "tally/device/reduce/rows/input.cuh"

namespace tally::device {

// `A` has an identity. Rows are of so many parts, each of so many elements: a power of two, and at
// least what a group reads at once.
template <aggregate A, class In>
struct ordered_rows_call {
  In in;
  rows<typename A::result> out;
  A a;
  bool skips_nan, together;
  unsigned log_group, log_rows;  // of the lanes of a part, and of the rows that they read at once
  std::uint64_t parts, part;
  typename A::state* nodes;  // over all rows' first parts, then their second ones, ...

  __device__ unsigned group() const { return 1u << log_group; }
  __device__ unsigned lane() const { return threadIdx.x & (group() - 1); }  // of its group
  __device__ unsigned group_in_warp() const { return threadIdx.x % warp_size >> log_group; }
  __device__ std::uint64_t warp() const {
    return (std::uint64_t(blockIdx.x) * blockDim.x + threadIdx.x) / warp_size;
  }
  __device__ std::uint64_t warps() const {
    return std::uint64_t(gridDim.x) * (blockDim.x / warp_size);
  }
  // The node over an element.
  __device__ typename A::state lift(typename A::element const& x, std::uint64_t i) const {
    if constexpr (has_nan<typename A::element>)
      if (skips_nan && is_nan(x)) return a.identity();
    return a.lift(x, i);
  }
  // The p-th part of n elements.
  __device__ std::uint64_t begin(std::uint64_t p, std::uint64_t n) const {
    return p * part < n ? p * part : n;
  }
  __device__ std::uint64_t end(std::uint64_t p, std::uint64_t n) const {
    return n - begin(p, n) > part ? begin(p, n) + part : n;
  }
  // Takes the node over a row, or over its p-th part.
  __device__ void put(std::uint64_t r, std::uint64_t p, typename A::state const& node) const {
    if (parts > 1)
      nodes[p * in.layout().count + r] = node;
    else
      out.data[out.begin(r)] = lower_or_none(a, node);
  }
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

// How many vectors a lane of a row reads at once.
template <aggregate A, class In>
inline constexpr int vectors_in_order =
    sizeof(typename A::state) <= 16 ? 2 * row_source<In>::loads : (row_source<In>::loads + 1) / 2;

// Warps of a block that reads rows, and how many such blocks a multiprocessor has: what waits for
// memory does so beside others.
inline constexpr unsigned threads_in_order = 128;
template <aggregate A>
inline constexpr int blocks_in_order = sizeof(typename A::state) <= 16 ? 5 : 1;

// Neighbours in a row, not more than a vector's: from the first one on, so many.
template <class In>
struct place_in_row {
  row_of_input<In> row;
  std::uint64_t first;
  unsigned count;

  __device__ auto together() const { return source_of(side_by_side(row)).from(first); }
  __device__ bool is_vector() const {
    return count == 0 || (count == row_source<In>::each && together().is_aligned(0));
  }
};

// The nodes over a lane's neighbours at some places, which are all read before any is folded. What
// is not there counts as the identity, which changes no bits.
template <aggregate A, class In, int Places>
__device__ void read_nodes(ordered_rows_call<A, In> const& call,
                           place_in_row<In> const (&place)[Places],
                           typename A::state (&node)[Places]) {
  using source = row_source<In>;
  constexpr int each = source::each;
  typename source::template batch_type<Places> x;
  bool vectors = call.together;
#pragma unroll
  for (int j = 0; j < Places; ++j) vectors = vectors && place[j].is_vector();
  if (vectors) {
#pragma unroll
    for (int j = 0; j < Places; ++j)
      if (place[j].count > 0) place[j].together().load(x, j, 0);
  } else {
#pragma unroll
    for (int j = 0; j < Places; ++j) {
      auto const& here = place[j];
      x.clear(j);
#pragma unroll
      for (int k = 0; k < each; ++k)
        if (unsigned(k) < here.count) source_of(here.row).load_one(x, j * each + k, here.first + k);
    }
  }
  auto const fold = [&](auto node_if) {
#pragma unroll
    for (int j = 0; j < Places; ++j) {
      auto const& here = place[j];
      node[j] = call.a.identity();
      if (here.count == 0) continue;
      typename A::state of[each];
#pragma unroll
      for (int k = 0; k < each; ++k)
        of[k] = node_if(
            unsigned(k) < here.count, [&] { return here.together().value(x, j * each + k); },
            here.first + k);
      node[j] = fold_neighbours(call.a, of);
    }
  };
  using element = typename A::element;
  if (vectors && !(has_nan<element> && call.skips_nan))
    fold([&](bool, auto value, std::uint64_t i) { return call.a.lift(value(), i); });
  else
    fold([&](bool is_there, auto value, std::uint64_t i) {
      return is_there ? call.lift(value(), i) : call.a.identity();
    });
}

// Rows of which a group reads several at once, whole ones.
template <aggregate A, class In>
__global__ void __launch_bounds__(threads_in_order, blocks_in_order<A>)
    reduce_short_rows_in_order(__grid_constant__ ordered_rows_call<A, In> const call) {
  constexpr int loads = vectors_in_order<A, In>;
  constexpr unsigned each = row_source<In>::each;
  await_launches_before();
  unsigned const lane = call.lane(), groups = warp_size >> call.log_group;
  unsigned const log_chunks = __ffs(loads) - 1 - call.log_rows;  // of a lane's vectors of a row
  std::uint64_t const count = call.in.layout().count, rows = std::uint64_t(groups) << call.log_rows;
  auto const row_of = [&](std::uint64_t first, unsigned j) {
    return first + j * groups + call.group_in_warp();
  };
#pragma unroll 1
  for (std::uint64_t first = call.warp() * rows; first < count; first += call.warps() * rows) {
    place_in_row<In> place[loads];
#pragma unroll
    for (int j = 0; j < loads; ++j) {
      std::uint64_t const r = row_of(first, unsigned(j) >> log_chunks);
      unsigned const chunk = unsigned(j) & ((1u << log_chunks) - 1);
      unsigned const at = ((chunk << call.log_group) + lane) * each;
      auto const row = call.in.row(r < count ? r : 0);
      std::uint64_t const n = r < count ? row.size() : 0;
      place[j] = {row, at, at < n ? unsigned(min(n - at, std::uint64_t(each))) : 0};
    }
    typename A::state node[loads];
    read_nodes(call, place, node);
    auto const all = fold_rows(call.a, node, int(call.group()), 1 << call.log_rows);
    std::uint64_t const r = row_of(first, __brev(lane) >> 1 >> (31 - call.log_rows));
    if (lane >> call.log_rows == 0 && r < count) call.put(r, 0, all);
  }
  let_next_launch_start();
}

// The node over a row's elements [begin, end), in a group's first lane. All lanes of a warp go
// round equally often, for their shuffles.
template <aggregate A, class In>
__device__ typename A::state node_of_part(ordered_rows_call<A, In> const& call,
                                          row_of_input<In> const& row, std::uint64_t begin,
                                          std::uint64_t end) {
  constexpr int loads = vectors_in_order<A, In>;
  constexpr unsigned each = row_source<In>::each;
  unsigned const turn = each * call.group();  // of the group's lanes
  std::uint64_t const at_once = std::uint64_t(loads) * turn;
  std::uint64_t longest = end - begin;  // of the warp's
#pragma unroll 1
  for (unsigned run = call.group(); run < warp_size; run *= 2)
    longest = max(longest, warp::exchange(longest, int(run)));
  left_nodes<A> nodes;
  typename A::state all;
  std::uint64_t first = begin;
#pragma unroll 1
  do {
    std::uint64_t const mine = first + call.lane() * each;
    unsigned const left = mine < end ? unsigned(min(end - mine, at_once)) : 0;
    place_in_row<In> place[loads];
#pragma unroll
    for (int j = 0; j < loads; ++j) {
      unsigned const at = unsigned(j) * turn;
      place[j] = {row, mine + at, at < left ? min(left - at, each) : 0};
    }
    typename A::state node[loads];
    read_nodes(call, place, node);
    all = fold_rows(call.a, node, int(call.group()));
    if (longest > at_once && call.lane() == 0 && first < end) nodes.push(call.a, all);
    first += at_once;
  } while (first - begin < longest);
  return longest > at_once ? nodes.root(call.a) : all;
}

template <aggregate A, class In>
__global__ void __launch_bounds__(threads_in_order, blocks_in_order<A>)
    reduce_rows_in_order(__grid_constant__ ordered_rows_call<A, In> const call) {
  await_launches_before();
  std::uint64_t const rows = call.in.layout().count, all = rows * call.parts;
  unsigned const groups = warp_size >> call.log_group;
#pragma unroll 1
  for (std::uint64_t first = call.warp() * groups; first < all; first += call.warps() * groups) {
    std::uint64_t const at = first + call.group_in_warp();
    bool const is = at < all;
    std::uint64_t const p = call.parts > 1 ? at / rows : 0, r = is ? at - p * rows : 0;
    auto const row = call.in.row(r);
    std::uint64_t const n = is ? row.size() : 0;
    auto const node = node_of_part(call, row, call.begin(p, n), call.end(p, n));
    if (is && call.lane() == 0) call.put(r, p, node);
  }
  let_next_launch_start();
}

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
    reduce_columns_in_order(__grid_constant__ ordered_rows_call<A, In> const call) {
  await_launches_before();
  std::uint64_t const count = call.in.layout().count;
  auto const at = std::uint64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (at < count * call.parts) {
    std::uint64_t const p = call.parts > 1 ? at / count : 0, r = at - p * count;
    auto const column = call.in.row(r);
    std::uint64_t const n = column.size();
    call.put(
        r, p,
        root_of_column(
            call.a, call.begin(p, n), call.end(p, n), [&](std::uint64_t i) { return column[i]; },
            [&](typename A::element const& x, std::uint64_t i) { return call.lift(x, i); }));
  }
  let_next_launch_start();
}

// Puts the parts of rows together, up to so many of some neighbouring ones by a block.
inline constexpr unsigned most_parts_in_order = 4096, rows_put_together = 8;
template <aggregate A, class In>
__global__ void __launch_bounds__(lanes_threads)
    combine_parts_in_order(__grid_constant__ ordered_rows_call<A, In> const call) {
  constexpr unsigned lanes = lanes_threads / rows_put_together;  // of a row
  __shared__ fold_places<typename A::state, int(lanes_threads)> shared;
  await_launches_before();
  std::uint64_t const count = call.in.layout().count;
  unsigned each = 1;  // parts of a lane
  while (each * lanes < call.parts) each *= 2;
  unsigned const lane = threadIdx.x / rows_put_together;
  std::uint64_t const r =
      std::uint64_t(blockIdx.x) * rows_put_together + threadIdx.x % rows_put_together;
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
      all = call.a.combine(all, shared[threadIdx.x + run * rows_put_together]);
    __syncthreads();
  }
  if (lane == 0 && r < count) call.out.data[call.out.begin(r)] = lower_or_none(call.a, all);
  let_next_launch_start();
}

}  // namespace tally::device
