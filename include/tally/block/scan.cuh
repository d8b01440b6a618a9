// SPDX-License-Identifier: Apache-2.0
//
// Prefix sums over the threads of a block of any size and shape, in the order of thread_index().
// All its threads make the same call together; calls may follow one another without a barrier
// between, and take less time with the same double_buffer (double_buffer.cuh). `Threads` is the
// block's size, if the compiler is to know it: that is quicker.
//
// The operator must be associative and need not commute. Where a total is asked for, every thread
// gets the fold of all threads' values, without init.
#pragma once

#include <bit>

#include "tally/block/partials.cuh"
#include "tally/warp/scan.cuh"

namespace tally::block {

namespace detail {

// How a warp comes by the fold of the partials of those before it.
enum class strategy {
  by_redux,       // each warp folds the partials before it by one redux
  by_digits,      // each warp folds a run of them for each binary digit of its number
  by_first_warp,  // the first warp scans them for all: if a warp lacks lanes, or there are many
};
template <int Threads, class T, class Op>
inline constexpr strategy strategy_of = [] {
  constexpr int warps = warps_of<Threads>;
  if (!whole_warps<Threads> || !std::is_arithmetic_v<T>) return strategy::by_first_warp;
  if (warp::detail::has_redux<T, Op> && (sizeof(T) <= 4 || warps > 8)) return strategy::by_redux;
  return warps <= (warp::detail::commutes<Op, T> ? 16 : 8) ? strategy::by_digits
                                                           : strategy::by_first_warp;
}();
// The highest binary digit of the number of a warp.
template <int Warps>
inline constexpr int top_digit = int(std::bit_floor(unsigned(Warps - 1)));

// Folds the runs of partials that the binary digits of w stand for, from `digit` down. They come
// after x, if there is anything before: a head, or higher digits. All partials have been written.
template <int Warps, int digit, bool Headed, class T, class Op>
__device__ T fold_digits(T x, T const* partials, int w, Op op) {
  if constexpr (digit == 0) {
    return x;
  } else {
    constexpr bool all_there = Warps % (2 * digit) == 0;
    T run[digit];
    for (int i = 0; i < digit; ++i)
      run[i] = partials[all_there || w & digit ? (w & -2 * digit) + i : 0];
    T const here = fold_neighbours<digit>(run, digit, op);
    bool const after = Headed || (2 * digit < Warps && w >= 2 * digit);
    T const both = after ? op(x, here) : here;
    return fold_digits<Warps, digit / 2, Headed>(w & digit ? both : x, partials, w, op);
  }
}

// The fold of `head`, if Headed, and the partials of all warps before the caller's, each of which
// its lane `from` passes; unspecified where there is neither.
template <int Threads, bool Headed, class T, class Op, call_buffer Buffer>
__device__ T before_warp(T head, T partial, int from, Op op, T* total, Buffer& buffer) {
  constexpr strategy chosen = strategy_of<Threads, T, Op>;
  constexpr int max_warps = warps_of<Threads>;
  int const w = warp_index(), lane = warp::lane();
  if constexpr (max_warps == 1) {
    if (total) *total = warp::broadcast(partial, from);
    return head;
  } else {
    int const warps = warps_in(thread_count<Threads>());
    T* const partials = publish(buffer, partial, from);
    if constexpr (chosen == strategy::by_redux) {
      constexpr T identity = Op::template identity<T>;
      T const mine = lane < max_warps ? partials[lane] : identity;
      if (total) *total = warp::reduce(mine, op);
      return op(head, warp::reduce(lane < w ? mine : identity, op));
    } else if constexpr (chosen == strategy::by_digits) {
      if (total) *total = fold<Threads>(partials, warps, op);
      return fold_digits<max_warps, top_digit<max_warps>, Headed>(head, partials, w, op);
    } else {
      if (is_first_warp()) {
        T const through = warp::inclusive_scan(lane < warps ? partials[lane] : partial, op);
        if (lane < warps) partials[lane] = through;
      }
      __syncthreads();
      if (total) *total = partials[warps - 1];
      T const before = partials[w ? w - 1 : 0];
      if constexpr (!Headed) return before;
      return w == 0 ? head : op(head, before);
    }
  }
}

template <class T>
struct prefixes {
  T before_warp, in_warp;  // in_warp: up to the lane's own
};

template <int Threads, bool Headed, class T, class Op, call_buffer Buffer>
__device__ prefixes<T> scan(T head, T x, Op op, T* total, Buffer& buffer) {
  if constexpr (strategy_of<Threads, T, Op> == strategy::by_redux && sizeof(T) <= 4) {
    // The partial is there before the lanes' prefixes, which go on while the warps meet.
    T const partial = warp::reduce(x, op);
    x = warp::detail::widen<1, 4>(x, op);
    T const before = before_warp<Threads, Headed>(head, partial, 0, op, total, buffer);
    return {before, warp::detail::widen<4, warp_size>(x, op)};
  } else {
    int const last = (whole_warps<Threads> ? warp_size : warp::live_lanes()) - 1;
    x = warp::inclusive_scan(x, op);
    return {before_warp<Threads, Headed>(head, x, last, op, total, buffer), x};
  }
}

template <int Threads, class T, class Op, call_buffer Buffer>
__device__ T inclusive_scan(T x, Op op, T* total, Buffer& buffer) {
  if constexpr (warp::detail::has_identity<Op, T> && warps_of<Threads> > 1 &&
                strategy_of<Threads, T, Op> != strategy::by_first_warp) {
    auto const [before, in_warp] =
        scan<Threads, true>(Op::template identity<T>, x, op, total, buffer);
    return op(before, in_warp);
  } else {
    auto const [before, in_warp] = scan<Threads, false>(x, x, op, total, buffer);
    return warp_index() == 0 ? in_warp : op(before, in_warp);
  }
}

template <int Threads, class T, class Op, call_buffer Buffer>
__device__ T exclusive_scan(T init, T x, Op op, T* total, Buffer& buffer) {
  auto const [before, in_warp] = scan<Threads, true>(init, x, op, total, buffer);
  T const here = warp::detail::before(in_warp, x, op);
  bool const none = !warp::detail::subtracts<Op, T> && warp::lane() == 0;
  return none ? before : op(before, here);
}

}  // namespace detail

// The fold of all values up to the calling thread's own.
template <int Threads = 0, class T, class Op, detail::call_buffer Buffer = detail::single_buffer>
__device__ T inclusive_scan(T x, Op op, Buffer&& buffer = {}) {
  return detail::inclusive_scan<Threads>(x, op, static_cast<T*>(nullptr), buffer);
}
template <int Threads = 0, class T, class Op, detail::call_buffer Buffer = detail::single_buffer>
__device__ T inclusive_scan(T x, Op op, T& total, Buffer&& buffer = {}) {
  return detail::inclusive_scan<Threads>(x, op, &total, buffer);
}

// The fold of init and all values before the calling thread's own: init in the first thread.
template <int Threads = 0, class T, class Op, detail::call_buffer Buffer = detail::single_buffer>
__device__ T exclusive_scan(T x, Op op, std::type_identity_t<T> init, Buffer&& buffer = {}) {
  return detail::exclusive_scan<Threads, T>(init, x, op, static_cast<T*>(nullptr), buffer);
}
template <int Threads = 0, class T, class Op, detail::call_buffer Buffer = detail::single_buffer>
__device__ T exclusive_scan(T x, Op op, std::type_identity_t<T> init, T& total,
                            Buffer&& buffer = {}) {
  return detail::exclusive_scan<Threads, T>(init, x, op, &total, buffer);
}

}  // namespace tally::block
