// SPDX-License-Identifier: Apache-2.0
//
// Folds over the threads of a block of any size and shape, in the order of thread_index(). All its
// threads make the same call together; calls may follow one another without a barrier between, and
// take less time with the same double_buffer (double_buffer.cuh). `Threads` is the block's size, if
// the compiler is to know it: that is quicker.
//
// The operator must be associative and need not commute. Neighbours are combined, then pairs, and
// so on, so that the bits of the answer depend on the values alone.
#pragma once

#include "tally/block/partials.cuh"

namespace tally::block {

namespace detail {

// The fold of those of a warp's values that are among the block's first `count`, in its first lane;
// unspecified in a warp that has none of them.
template <class T, class Op>
__device__ T fold_warp(T x, Op op, int count) {
  int const live = count - warp_size * warp_index();
  return warp::reduce(x, op, live < 1 ? 1 : live < warp_size ? live : warp_size);
}
template <int Threads, class T, class Op>
__device__ T fold_warp(T x, Op op) {
  if constexpr (whole_warps<Threads>)
    return warp::reduce(x, op);
  else
    return fold_warp(x, op, thread_count<Threads>());
}

// The block's fold, in its first thread, made of the folds x of its first `warps` warps.
template <int Threads, class T, class Op, call_buffer Buffer>
__device__ T reduce_warps(T x, Op op, int warps, Buffer& buffer) {
  if constexpr (warps_of<Threads> > 1) {
    T const* const partials = publish(buffer, x);
    constexpr bool few = each_warp_folds<Threads, T> && warps_of<Threads> <= 4;
    if constexpr (few && warp::detail::has_redux<T, Op> && sizeof(T) == 8)
      x = fold<Threads>(partials, warps, op);  // by every warp, which is sooner than by one thread
    else if constexpr (few)
      x = fold_in_first_thread<warps_of<Threads>>(x, partials, warps, op);
    else if (is_first_warp())  // + 0, so that the address is computed before
      x = fold<Threads>(partials + warp_size * warp_index(), warps, op);
  }
  return x;
}

// Whether all threads' values go through shared memory, and few warps fold them, each thread a run
// of neighbours first. An operator may take many instructions, and in warp::reduce all lanes of all
// warps apply it five times, for a thirty-second of them.
template <int Threads, class T, class Op>
inline constexpr bool by_runs =
    Threads != 0 && Threads % 128 == 0 && std::is_arithmetic_v<T> && !warp::detail::commutes<Op, T>;

template <int Threads, class T, class Op, call_buffer Buffer>
__device__ T reduce_runs(T x, Op op, Buffer& buffer) {
  constexpr int run = Threads % 256 == 0 ? 8 : 4, warps = Threads / run / warp_size;
  T* const values = buffer.template take<T, Threads + warps>();
  T* const partials = values + Threads;
  values[thread_index()] = x;
  __syncthreads();
  if (__all_sync(~0u, warp_index() < warps)) {
    x = warp::reduce(fold_run<Threads, run>(values, run * thread_index(), run, op), op);
    if (warps > 1 && warp::lane() == 0) partials[warp_index()] = x;
  }
  if constexpr (warps > 1) {
    __syncthreads();
    x = fold_in_first_thread<warps>(x, partials, warps, op);
  }
  return x;
}

// The block's fold in all its threads, made of the same.
template <int Threads, class T, class Op, call_buffer Buffer>
__device__ T all_reduce_warps(T x, Op op, int warps, Buffer& buffer) {
  if constexpr (warps_of<Threads> == 1) {
    return warp::broadcast(x);
  } else {
    T* const partials = publish(buffer, x);
    if constexpr (each_warp_folds<Threads, T>) return fold<Threads>(partials, warps, op);
    if (is_first_warp()) {
      x = fold<Threads>(partials, warps, op);
      __syncwarp();
      if (warp::lane() == 0) *partials = x;
    }
    __syncthreads();
    return *partials;
  }
}

}  // namespace detail

// The fold of all threads' values, in the block's first thread; in the others unspecified.
template <int Threads = 0, class T, class Op, detail::call_buffer Buffer = detail::single_buffer>
__device__ T reduce(T x, Op op, Buffer&& buffer = {}) {
  if constexpr (detail::by_runs<Threads, T, Op>)
    return detail::reduce_runs<Threads>(x, op, buffer);
  else
    return detail::reduce_warps<Threads>(detail::fold_warp<Threads>(x, op), op,
                                         detail::warps_in(detail::thread_count<Threads>()), buffer);
}

// The fold of the values of the first `count` threads, 1 <= count <= the block's size.
template <int Threads = 0, class T, class Op, detail::call_buffer Buffer = detail::single_buffer>
__device__ T reduce(T x, Op op, int count, Buffer&& buffer = {}) {
  return detail::reduce_warps<Threads>(detail::fold_warp(x, op, count), op, detail::warps_in(count),
                                       buffer);
}

// The fold of all threads' values, in all threads.
template <int Threads = 0, class T, class Op, detail::call_buffer Buffer = detail::single_buffer>
__device__ T all_reduce(T x, Op op, Buffer&& buffer = {}) {
  return detail::all_reduce_warps<Threads>(detail::fold_warp<Threads>(x, op), op,
                                           detail::warps_in(detail::thread_count<Threads>()),
                                           buffer);
}

// The fold of the values of the first `count` threads, 1 <= count <= the block's size, in all.
template <int Threads = 0, class T, class Op, detail::call_buffer Buffer = detail::single_buffer>
__device__ T all_reduce(T x, Op op, int count, Buffer&& buffer = {}) {
  return detail::all_reduce_warps<Threads>(detail::fold_warp(x, op, count), op,
                                           detail::warps_in(count), buffer);
}

}  // namespace tally::block
