// SPDX-License-Identifier: Apache-2.0
//
// Reductions whose operator neither commutes nor forgives another grouping: the aligned binary tree
// over the index, whatever the launch looks like. This file names no aggregate.
#pragma once

#include "tally/aggregate/aggregate.hpp"
#include "tally/device/grid/epoch.cuh"
#include "tally/device/grid/schedule.cuh"
#include "tally/device/grid/tile_states.cuh"
#include "tally/device/identity.cuh"
#include "tally/device/input/load.cuh"
#include "tally/device/reduce/kernel.cuh"
#include "tally/warp/reduce.cuh"

namespace tally::device {

inline constexpr int ordered_threads = 512, ordered_blocks_a_multiprocessor = 2;
inline constexpr int ordered_warps = ordered_threads / warp_size;

// A run is 2^levels strips for each warp of a block, a power of two, or all strips: not more than a
// node a thread, nor than there is room for.
template <class State>
inline constexpr int max_levels = [] {
  constexpr std::size_t room = (32 << 10) / sizeof(State);
  int levels = 0;
  while ((ordered_warps << levels) < ordered_threads && (2u * ordered_warps << levels) <= room)
    ++levels;
  return levels;
}();

// Elements that a warp reads at once, a strip: rows of some vectors a lane, which are neighbours.
template <class Source>
inline constexpr int neighbours = Source::loads % 2 == 0 ? 2 : 1;
template <class Source>
inline constexpr int row_size = neighbours<Source> * warp_size * Source::each;
template <class Source>
inline constexpr std::uint64_t strip_size = Source::loads * warp_size * Source::each;

// Folds the tree over some neighbours that a thread has.
template <aggregate A, int Size>
__device__ typename A::state fold_neighbours(A const& a, typename A::state (&node)[Size]) {
#pragma unroll
  for (int run = 1; run < Size; run *= 2)
#pragma unroll
    for (int k = 0; k < Size; k += 2 * run) node[k] = a.combine(node[k], node[k + run]);
  return node[0];
}

// Folds the tree over a warp's lanes, for the first of them.
template <aggregate A>
__device__ typename A::state fold_lanes(A const& a, typename A::state const& s) {
  using state = typename A::state;
  return warp::reduce(s, [&](state const& l, state const& r) { return a.combine(l, r); });
}

// Folds the tree over Rows states of each lane of a group, those of all lanes one after another,
// for its first lane: half of the rows change places with the other half of a neighbour's at each
// of the first steps, so that a lane has fewer of them to pass on. Or so many trees, each over as
// many rows that come one after another, for as many first lanes: the t-th for the lane of t's bits
// reversed. Lanes and trees are powers of two; there are not more trees than lanes or rows.
template <aggregate A, int Rows>
__device__ typename A::state fold_rows(A const& a, typename A::state (&row)[Rows],
                                       int lanes = warp_size, int trees = 1) {
  static_assert((Rows & (Rows - 1)) == 0 && Rows <= warp_size);
  using state = typename A::state;
  unsigned const lane = threadIdx.x % warp_size;
  int run = 1;
#pragma unroll
  for (int half = Rows / 2; half > 0; half /= 2) {
    if (run < lanes) {
      bool const upper = lane & run;
#pragma unroll
      for (int j = 0; j < half; ++j) {
        state first = row[j], second = row[j + half];
        state const got = warp::exchange(upper ? first : second, run);
        if (upper)
          first = got;
        else
          second = got;
        row[j] = a.combine(first, second);
      }
      run *= 2;
    } else {
#pragma unroll
      for (int j = 0; j < half; ++j) row[j] = a.combine(row[2 * j], row[2 * j + 1]);
    }
  }
  int const passed = run;  // the lanes that rows have been passed to
  state all = row[0];
#pragma unroll
  for (; run < lanes; run *= 2) all = a.combine(all, warp::shift_down(all, run));
#pragma unroll
  for (run = passed / 2; run >= trees; run /= 2) all = a.combine(all, warp::shift_down(all, run));
  return all;
}

// Folds the tree over 2^levels neighbours that come one after another to a whole warp: each lane
// keeps one of 32 of them, then one of 32 such groups.
template <aggregate A>
class tower {
  using state = typename A::state;
  state kept_, group_;

 public:
  __device__ explicit tower(A const& a) : kept_(a.identity()), group_(a.identity()) {}

  // Takes the i-th node from the first lane; with the last one, the first lane gets the tree's.
  __device__ state push(A const& a, unsigned i, int levels, state const& node) {
    if (levels == 0) return node;
    unsigned const lane = threadIdx.x % warp_size;
    state const everywhere = warp::broadcast(node);
    if (lane == i % warp_size) kept_ = everywhere;
    bool const last = i + 1 == 1u << levels;
    if ((i + 1) % warp_size != 0 && !last) return node;
    state const folded = device::fold_lanes(a, kept_);
    if (levels <= 5) return folded;
    state const group = warp::broadcast(folded);
    if (lane == i / warp_size) group_ = group;
    return last ? device::fold_lanes(a, group_) : group;
  }
};

// The strips of the first n elements that can be loaded in vectors. Those that are not aligned need
// one on either side of them.
struct whole_strips {
  std::uint64_t first, count;
};
template <class Source>
whole_strips whole_strips_of(Source const& in, std::uint64_t n) {
  if (in.is_aligned(0)) return {0, n / strip_size<Source>};
  std::uint64_t const end = n < Source::each ? 0 : (n - Source::each) / strip_size<Source>;
  return {1, end > 1 ? end - 1 : 0};
}

template <aggregate A, class Source>
struct ordered_call {
  bool skips_nan, aligned;
  int log_warps;  // of a block, rounded up; exact where there is more than one run
  int levels;     // a run is 2^levels strips for each warp of a block
  unsigned runs;  // that hold the array, the last one perhaps in part
  Source in;
  std::uint64_t n;
  whole_strips whole;
  output<typename A::result> out;
  workspace w;
  A a;
  bool dynamic;  // the schedule of its runs
};

// What a lane has of a strip of the first n elements of a source.
template <aggregate A, class Source>
class strip {
  using element = typename A::element;
  using state = typename A::state;
  static constexpr int each = Source::each, loads = Source::loads;
  static constexpr int beside = neighbours<Source>, rows = loads / beside;

 public:
  // Finds the warp's i-th strip of a run.
  __device__ Source find(ordered_call<A, Source> const& call, unsigned run, unsigned i) {
    auto const number =
        (((std::uint64_t(run) << call.levels) + i) << call.log_warps) + threadIdx.x / warp_size;
    first_ = number * strip_size<Source> + threadIdx.x % warp_size * (beside * each);
    whole_ = number - call.whole.first < call.whole.count;
    return call.in.from(first_);
  }
  __device__ void load(ordered_call<A, Source> const& call, Source const& here) {
    if (whole_)
      load_vectors(here, call.aligned);
    else
      load_elements(call.in, call.n);
  }

  // The strip's node of the tree, in the first lane.
  __device__ state fold(A const& a, Source const& in, bool skips_nan) const {
    auto const counts = [&](int i, [[maybe_unused]] element const& x) {
      if constexpr (has_nan<element>)
        if (skips_nan && is_nan(x)) return false;
      return whole_ || i < left_;
    };
    bool const all = whole_ && !(has_nan<element> && skips_nan);
    state node[rows];
    if (all) {
#pragma unroll
      for (int j = 0; j < rows; ++j)
        node[j] = fold_row(a, in, j, [](int, element const&) { return true; });
    } else {
#pragma unroll
      for (int j = 0; j < rows; ++j) node[j] = fold_row(a, in, j, counts);
    }
    return fold_rows(a, node);
  }

 private:
  typename Source::template batch_type<loads> x_;
  std::uint64_t first_;  // the index of the lane's first element
  bool whole_;           // it is a whole strip
  int left_;             // else: how many there are from there on, as far as it matters

  // Which of the strip's vectors, from the lane's first one on, is its j-th.
  static __device__ int place_of(int j) { return j / beside * (beside * warp_size) + j % beside; }
  __device__ void load_vectors(Source const& here, bool aligned) {
    if (aligned) {
#pragma unroll
      for (int j = 0; j < loads; ++j) here.load(x_, j, place_of(j));
    } else {
#pragma unroll
      for (int j = 0; j < loads; ++j) here.load_anywhere(x_, j, place_of(j));
    }
  }
  __device__ void load_elements(Source const& in, std::uint64_t n) {
    std::uint64_t const left = first_ < n ? n - first_ : 0;
    left_ = left < strip_size<Source> ? int(left) : int(strip_size<Source>);
#pragma unroll
    for (int j = 0; j < loads; ++j) {
      x_.clear(j);
#pragma unroll
      for (int k = 0; k < each; ++k) {
        int const i = place_of(j) * each + k;
        if (i < left_) in.load_one(x_, j * each + k, first_ + i);
      }
    }
  }

  template <class Counts>
  __device__ state fold_row(A const& a, Source const& in, int row, Counts counts) const {
    constexpr int size = beside * each;
    state node[size];
#pragma unroll
    for (int k = 0; k < size; ++k) {
      int const i = row * row_size<Source> + k;
      element const x = in.value(x_, row * size + k);
      node[k] = counts(i, x) ? a.lift(x, first_ + i) : a.identity();
    }
    return fold_neighbours(a, node);
  }
};

// Nodes that a block shares: as many as it has threads, or fewer where there is not the room.
template <class State>
struct shared_nodes {
  static constexpr unsigned capacity = ordered_warps << max_levels<State>;
  alignas(16) unsigned char memory[capacity * sizeof(State)];  // in which no constructor has run
  __device__ State& operator[](unsigned i) { return reinterpret_cast<State*>(memory)[i]; }
};

template <class State>
inline constexpr std::uint64_t max_runs =
    shared_nodes<State>::capacity << 10;  // see fold_runs, tower

// Folds the tree over `Size` neighbours, by one thread.
template <unsigned Size, aggregate A>
__device__ typename A::state fold_some(A const& a, shared_nodes<typename A::state>& nodes,
                                       unsigned first) {
  if constexpr (Size == 1) {
    return nodes[first];
  } else {
    auto const left = fold_some<Size / 2>(a, nodes, first);
    return a.combine(left, fold_some<Size / 2>(a, nodes, first + Size / 2));
  }
}

// Folds the tree over the first `count` nodes, a power of two if more than a warp has lanes, for
// the warp's first lane. (For a lane to fold what is a lane's of `capacity` takes it less time than
// a barrier and shuffles by more warps do.)
template <aggregate A>
__device__ typename A::state fold_nodes(A const& a, shared_nodes<typename A::state>& nodes,
                                        unsigned count) {
  constexpr unsigned some = (shared_nodes<typename A::state>::capacity + warp_size - 1) / warp_size;
  unsigned const lane = threadIdx.x % warp_size;
  auto mine = a.identity();
  if (count <= warp_size) {
    if (lane < count) mine = nodes[lane];
  } else {
    if (lane * some < count) mine = fold_some<some>(a, nodes, lane * some);
  }
  return device::fold_lanes(a, mine);
}

// Folds a run into its node, for the first thread; before the next run there is a barrier. The
// warps of a block take its strips in turn, so that they read one place of the array together.
// `here` is this warp's first one; it will be that of the run after it, if there is one.
template <aggregate A, class Source>
__device__ typename A::state fold_run(ordered_call<A, Source> const& call, unsigned run,
                                      unsigned after, strip<A, Source>& here,
                                      shared_nodes<typename A::state>& nodes) {
  unsigned const strips = 1u << call.levels, warps = blockDim.x / warp_size;
  for (unsigned i = 0; i < strips; ++i) {
    strip<A, Source> next;  // is on its way while this one is folded
    bool const last = i + 1 == strips;
    if (!last || after < call.runs)
      next.load(call, next.find(call, last ? after : run, last ? 0 : i + 1));
    auto const node = here.fold(call.a, call.in, call.skips_nan);
    if (threadIdx.x % warp_size == 0) nodes[i * warps + threadIdx.x / warp_size] = node;
    here = next;
  }
  __syncthreads();
  return threadIdx.x < warp_size ? fold_nodes(call.a, nodes, strips * warps) : call.a.identity();
}

// Folds the tree over the runs, for the first thread. A block takes as many neighbours at a time as
// have room, so that it follows those who publish them; of few its first warp does.
template <aggregate A, class Source>
__device__ typename A::state fold_runs(ordered_call<A, Source> const& call, std::uint32_t epoch,
                                       shared_nodes<typename A::state>& nodes) {
  using state = typename A::state;
  tile_states<state> const totals(call.w.words, epoch);
  auto const node_of = [&](unsigned run) {
    return run < call.runs ? totals.await(std::uint64_t(run)) : call.a.identity();
  };
  state total = call.a.identity();
  if (call.runs <= warp_size)
    return threadIdx.x < warp_size ? device::fold_lanes(call.a, node_of(threadIdx.x)) : total;
  constexpr unsigned capacity = shared_nodes<state>::capacity;
  int levels = 0;
  while ((capacity << levels) < call.runs) ++levels;
  tower<A> above(call.a);
  for (unsigned i = 0; i < 1u << levels; ++i) {
    __syncthreads();  // the nodes before have been read
    if (threadIdx.x < capacity) nodes[threadIdx.x] = node_of(i * capacity + threadIdx.x);
    __syncthreads();
    if (threadIdx.x < warp_size)
      total = above.push(call.a, i, levels, fold_nodes(call.a, nodes, capacity));
  }
  return total;
}

// Runs are nodes of the tree. They are published as they are done; the first block puts them
// together. Where they are drawn, there are so many of them that it does nothing else.
template <aggregate A, class Source>
__global__ void __launch_bounds__(ordered_threads, ordered_blocks_a_multiprocessor)
    reduce_in_order(__grid_constant__ ordered_call<A, Source> const call) {
  using state = typename A::state;
  auto const& a = call.a;
  workspace const& w = call.w;
  __shared__ shared_nodes<state> nodes;
  state total = a.identity();
  strip<A, Source> first;
  bool const has_runs = !call.dynamic || blockIdx.x > 0;
  unsigned run = has_runs ? blockIdx.x - call.dynamic : call.runs;
  Source const here = first.find(call, run, 0);
  if (gridDim.x == 1) let_next_launch_start();  // it finds room elsewhere
  await_launches_before();
  first.load(call, here);
  epoch_to_come of_launch;
  if (call.runs > 1) of_launch.ask(w);
  std::uint32_t epoch = 0;
  dynamic_schedule<1> mine(w, call.dynamic, call.dynamic);
  if (has_runs) mine.ask();
  while (run < call.runs) {
    auto const after = run + unsigned(mine.next());
    if (after < call.runs) mine.ask();
    total = fold_run(call, run, after, first, nodes);
    epoch = of_launch.take();
    if (call.runs > 1 && threadIdx.x == 0)
      tile_states<state>(w.words, epoch).publish(std::uint64_t(run), total);
    run = after;
    if (run < call.runs) __syncthreads();
  }
  if (blockIdx.x > 0) return;

  if (call.dynamic) epoch = of_launch.take();
  if (call.runs > 1) total = fold_runs(call, epoch, nodes);
  let_next_launch_start();
  if (threadIdx.x != 0) return;
  if (call.runs > 1) end_epoch(w, epoch);
  *call.out.result = lower_or_none(a, total);
  if (!call.out.found) return;
  *call.out.found = true;
  if constexpr (requires { a.empty(total); }) *call.out.found = !a.empty(total);
}

}  // namespace tally::device
