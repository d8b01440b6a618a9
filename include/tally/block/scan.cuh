// SPDX-License-Identifier: Apache-2.0
//
// Prefix sums over the threads of a block of any size and shape, in the order of thread_index().
// All its threads make the same call together; calls may follow one another without a barrier
// between. `Threads` is the block's size, if the compiler is to know it: that is quicker.
//
// The operator must be associative and need not commute. Where a total is asked for, every thread
// gets the fold of all threads' values, without init.
#pragma once

#include "tally/block/partials.cuh"
#include "tally/warp/scan.cuh"

namespace tally::block {

namespace detail {

// The fold of the values of all warps before the caller's, from each lane's inclusive scan of its
// own warp; unspecified in the first warp.
template <int Threads, class T, class Op>
__device__ T before_warp(T through, Op op, T* total) {
  int const warp = warp_index(), warps = warps_in(thread_count<Threads>());
  int const last = (whole_warps<Threads> ? warp_size : warp::live_lanes()) - 1;
  if constexpr (warps_of<Threads> == 1) {
    if (total) *total = warp::broadcast(through, last);
    return through;
  } else {
    T* const partials = publish(through, last);
    if constexpr (each_warp_folds_its_own<Threads, T, Op>) {
      if (total) *total = fold<Threads>(partials, warps, op);
      int const count = warp ? warp : 1;
      if constexpr (warps_of<Threads> > 8 && warp::detail::has_redux<T, Op>)
        return fold_by_warp(partials, count, op);
      else
        return fold<Threads>(partials, count, op);
    } else {
      int const lane = warp::lane();
      if (warp == 0) {
        T const x = warp::inclusive_scan(lane < warps ? partials[lane] : through, op);
        if (lane < warps) partials[lane] = x;
      }
      __syncthreads();
      if (total) *total = partials[warps - 1];
      return partials[warp ? warp - 1 : 0];
    }
  }
}

template <int Threads, class T, class Op>
__device__ T inclusive_scan(T x, Op op, T* total) {
  T const through = warp::inclusive_scan(x, op);
  T const before = before_warp<Threads>(through, op, total);
  return warp_index() == 0 ? through : op(before, through);
}

// In the first thread 0 if the operator subtracts, else unspecified.
template <int Threads, class T, class Op>
__device__ T exclusive_scan(T x, Op op, T* total) {
  T const through = warp::inclusive_scan(x, op);
  T const here = warp::detail::before(through, x, op);
  T const before = before_warp<Threads>(through, op, total);
  if (warp_index() == 0) return here;
  bool const none = !warp::detail::subtracts<Op, T> && warp::lane() == 0;
  return none ? before : op(before, here);
}

template <int Threads, class T, class Op>
__device__ T exclusive_scan_from(T init, T x, Op op, T* total) {
  T const before = exclusive_scan<Threads>(x, op, total);
  bool const none = !warp::detail::subtracts<Op, T> && thread_index() == 0;
  return none ? init : op(init, before);
}

}  // namespace detail

// The fold of all values up to the calling thread's own.
template <int Threads = 0, class T, class Op>
__device__ T inclusive_scan(T x, Op op) {
  return detail::inclusive_scan<Threads>(x, op, static_cast<T*>(nullptr));
}
template <int Threads = 0, class T, class Op>
__device__ T inclusive_scan(T x, Op op, T& total) {
  return detail::inclusive_scan<Threads>(x, op, &total);
}

// The fold of init and all values before the calling thread's own: init in the first thread.
template <int Threads = 0, class T, class Op>
__device__ T exclusive_scan(T x, Op op, std::type_identity_t<T> init) {
  return detail::exclusive_scan_from<Threads>(init, x, op, static_cast<T*>(nullptr));
}
template <int Threads = 0, class T, class Op>
__device__ T exclusive_scan(T x, Op op, std::type_identity_t<T> init, T& total) {
  return detail::exclusive_scan_from<Threads>(init, x, op, &total);
}

}  // namespace tally::block
