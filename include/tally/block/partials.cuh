// SPDX-License-Identifier: Apache-2.0
//
// What the warps of a block tell one another: a value each, in shared memory.
#pragma once

#include "tally/block/double_buffer.cuh"
#include "tally/warp/reduce.cuh"

namespace tally::block::detail {

// `Threads` is the block's size, or 0 where that is known only when the kernel runs.
template <int Threads>
inline constexpr int warps_of = Threads ? (Threads + warp_size - 1) / warp_size : warp_size;
template <int Threads>
inline constexpr bool whole_warps = Threads != 0 && Threads % warp_size == 0;

template <int Threads>
__device__ int thread_count() {
  return Threads ? Threads : tally::thread_count();
}
__device__ inline int warps_in(int threads) { return (threads + warp_size - 1) / warp_size; }
__device__ inline int warp_index() { return int(unsigned(thread_index()) / warp_size); }

// Whether the caller is in the first warp: by a vote, so that the compiler sees no warp diverge.
__device__ inline bool is_first_warp() { return __all_sync(~0u, warp_index() == 0); }

// Each warp leaves what its lane `from` passes, for all threads to read.
template <class T, call_buffer Buffer>
__device__ T* publish(Buffer& buffer, T x, int from = 0) {
  T* const partials = buffer.template take<T>();
  if (warp::lane() == from) partials[warp_index()] = x;
  __syncthreads();
  return partials;
}

// Whether a lane first folds a run of partials by itself, 8 of which take less time than three
// shuffles; then all partials have been written, also those that are not asked for.
template <int Threads, class T, class Op>
inline constexpr bool folds_runs = Threads != 0 && std::is_arithmetic_v<T> &&
                                   (warps_of<Threads> <= 16 || !warp::detail::has_redux<T, Op>);

// How many partials a lane folds alone, before the shuffles: all if there are 8 or fewer, else 16
// if one redux finishes the rest, else 8.
template <int Threads, class T, class Op>
inline constexpr int run_length = warps_of<Threads> <= 8           ? warps_of<Threads>
                                  : warp::detail::has_redux<T, Op> ? 16
                                                                   : 8;

// Whether every warp can fold the partials for itself: cheap, and no warp lacks lanes.
template <int Threads, class T>
inline constexpr bool each_warp_folds = whole_warps<Threads> && std::is_arithmetic_v<T>;

// Folds the first `live` of `size` values: neighbours, then pairs, and so on. Where live < 1, the
// result is unspecified.
template <int size, class T, class Op>
__device__ T fold_neighbours(T* x, int live, Op op) {
  for (int run = 1; run < size; run *= 2)
    for (int i = 0; i + run < size; i += 2 * run)
      if (i + run < live) x[i] = op(x[i], x[i + run]);
  return *x;
}

// Folds `live` partials, at most `size`, from the one at `first` on, as fold_neighbours does.
template <int Warps, int size, class T, class Op>
__device__ T fold_run(T const* partials, int first, int live, Op op) {
  constexpr int runs = Warps / size;
  constexpr bool every_lane_has_a_run = Warps % size == 0 && (runs & (runs - 1)) == 0;
  T x[size];
  for (int i = 0; i < size; ++i)
    x[i] = partials[every_lane_has_a_run || first + i < Warps ? first + i : 0];
  return fold_neighbours<size>(x, live, op);
}

// Folds the first `count` of a few partials in the first thread, whose own partial is x. It loads
// them without a branch, and the other warps go on.
template <int Warps, class T, class Op>
__device__ T fold_in_first_thread(T x, T const* partials, int count, Op op) {
  if (thread_index() == 0) {
    T y[Warps] = {x};
    for (int i = 1; i < Warps; ++i) y[i] = partials[i];
    x = fold_neighbours<Warps>(y, count, op);
  }
  return x;
}

// The fold of the values of the first `count` of each `Lanes` neighbouring lanes, count >= 1, in
// all of them. A whole warp calls this together, which is quicker than independent groups.
template <int Lanes, class T, class Op>
__device__ T fold_lanes(T x, int count, Op op) {
  int const lane = warp::lane<Lanes>();
  for (int run = 1; run < Lanes; run *= 2) {
    T const y = warp::exchange(x, run);
    bool const swaps = !warp::detail::commutes<Op, T> && (lane & run);
    T const left = swaps ? y : x, right = swaps ? x : y;
    bool const both = count == Lanes || ((lane | run) & -run) < count;
    x = both ? op(left, right) : lane & run ? y : x;
  }
  return x;
}

// The fold of the first `count` partials, count >= 1, in the first lane of a warp; in all its lanes
// where each_warp_folds.
template <int Threads, class T, class Op>
__device__ T fold(T const* partials, int count, Op op) {
  constexpr int warps = warps_of<Threads>;
  if constexpr (!folds_runs<Threads, T, Op>) {
    int const lane = warp::lane();
    return warp::reduce(partials[lane < count ? lane : count - 1], op, count);
  } else {
    constexpr int size = run_length<Threads, T, Op>;
    constexpr int lanes = warps <= size ? 1 : warps <= 2 * size ? 2 : 4;
    int const first = size * warp::lane<lanes>();
    int const live = count == size * lanes ? size : count - first;
    T const x = fold_run<warps, size>(partials, first, live, op);
    return fold_lanes<lanes>(x, (count + size - 1) / size, op);
  }
}

}  // namespace tally::block::detail
