// SPDX-License-Identifier: Apache-2.0
//
// What the warps of a block tell one another: a value each, in shared memory.
#pragma once

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

// Each warp leaves what its lane `from` passes, for all threads to read.
//
// The first barrier lets calls follow one another: past it, every thread has read what it needs of
// the call before. It is here, not at the end of a call, so that warps which are done can go ahead.
template <class T>
__device__ T* publish(T x, int from = 0) {
  alignas(T) alignas(16) __shared__ unsigned char memory[warp_size * sizeof(T)];
  T* const partials = reinterpret_cast<T*>(memory);
  __syncthreads();
  if (warp::lane() == from) partials[warp_index()] = x;
  __syncthreads();
  return partials;
}

// Whether a lane first folds a run of 8 partials by itself, which takes less time than three
// shuffles; then all partials have been written, also those that are not asked for.
template <int Threads, class T, class Op>
inline constexpr bool folds_runs = Threads != 0 && std::is_arithmetic_v<T> &&
                                   (warps_of<Threads> <= 8 || !warp::detail::has_redux<T, Op>);

// Whether every warp folds the partials for itself, rather than the first one for all: cheap, and
// no warp lacks lanes.
template <int Threads, class T>
inline constexpr bool each_warp_folds = whole_warps<Threads> && std::is_arithmetic_v<T>;

// The fold of `live` partials from the one at `first` on, at most 8: of neighbours, then of pairs,
// and so on. Where live < 1, anything.
template <int Warps, class T, class Op>
__device__ T fold_run(T const* partials, int first, int live, Op op) {
  constexpr int size = Warps < 8 ? Warps : 8;
  T x[size];
  for (int i = 0; i < size; ++i)
    x[i] = partials[Warps % size == 0 || first + i < Warps ? first + i : 0];
  for (int run = 1; run < size; run *= 2)
    for (int i = 0; i + run < size; i += 2 * run)
      if (i + run < live) x[i] = op(x[i], x[i + run]);
  return x[0];
}

// The fold of the values of the first `count` of each `Lanes` neighbouring lanes, count >= 1, in
// all of them. A whole warp calls this together, which is quicker than independent groups.
template <int Lanes, class T, class Op>
__device__ T fold_lanes(T x, int count, Op op) {
  int const lane = warp::lane<Lanes>();
  for (int run = 1; run < Lanes; run *= 2) {
    T const y = warp::exchange(x, run);
    bool const after = lane & run, both = ((lane | run) & -run) < count;
    T const left = after ? y : x, right = after ? x : y;
    x = both ? op(left, right) : left;
  }
  return x;
}

// The fold of the first `count` partials, count >= 1, in the first lane of a warp; in all its lanes
// where each_warp_folds.
template <int Threads, class T, class Op>
__device__ T fold(T const* partials, int count, Op op) {
  constexpr int warps = warps_of<Threads>;
  int const lane = warp::lane();
  if constexpr (!folds_runs<Threads, T, Op>) {
    return warp::reduce(partials[lane < count ? lane : count - 1], op, count);
  } else {
    constexpr int lanes = warps <= 8 ? 1 : warps <= 16 ? 2 : 4;
    int const first = 8 * warp::lane<lanes>();
    T const x = fold_run<warps>(partials, first, count - first, op);
    return fold_lanes<lanes>(x, (count + 7) / 8, op);
  }
}

}  // namespace tally::block::detail
