// SPDX-License-Identifier: Apache-2.0
//
// Folds over the lanes of a group (shuffle.cuh says what that is). The operator must be
// associative and need not commute: neighbouring lanes are combined, then neighbouring pairs, and
// so on, in lane order, so that the bits of the answer depend on the values alone.
#pragma once

#include "tally/warp/redux.cuh"
#include "tally/warp/shuffle.cuh"

namespace tally::warp {

namespace detail {

template <class Op, class T>
inline constexpr bool has_identity =
    std::is_arithmetic_v<T> && requires { Op::template identity<T>; };

// Whether operands may change places, and every bit stays.
template <class Op, class T>
inline constexpr bool commutes =
    std::is_arithmetic_v<T> &&
    (is_one_of<Op, plus, multiplies> || (std::is_integral_v<T> && has_redux<T, Op>));

}  // namespace detail

// The fold of all the group's values, in the group's first lane; in the others unspecified.
template <int Width = warp_size, class T, class Op>
__device__ T reduce(T x, Op op) {
  if constexpr (Width == warp_size && detail::has_redux<T, Op>) {
    return detail::redux_of(x, op);
  } else {
    int const lane = warp::lane<Width>();
    for (int run = 1; run < Width; run *= 2) {
      T const next = shift_down<Width>(x, run);
      // The other lanes' values reach no first lane: floats are combined there all the same.
      if (std::is_floating_point_v<T> || lane % (2 * run) == 0) x = op(x, next);
    }
    return x;
  }
}

// The fold of the values of the group's first `count` lanes, 1 <= count <= Width, in its first
// lane. The same count in the whole group; the lanes from count on may be missing.
template <int Width = warp_size, class T, class Op>
__device__ T reduce(T x, Op op, int count) {
  int const lane = warp::lane<Width>();
  if constexpr (Width == warp_size && detail::has_redux<T, Op>) {
    return detail::redux_of(lane < count ? x : Op::template identity<T>, op);
  } else {
    for (int run = 1; run < Width; run *= 2) {
      bool const more = lane + run < count;
      T const next = broadcast<Width>(x, more ? lane + run : 0);
      if (lane % (2 * run) == 0 && more) x = op(x, next);
    }
    return x;
  }
}

// The fold of all the group's values, in all its lanes.
template <int Width = warp_size, class T, class Op>
__device__ T all_reduce(T x, Op op) {
  if constexpr (Width == warp_size && detail::has_redux<T, Op>) {
    return detail::redux_of(x, op);
  } else if constexpr (detail::commutes<Op, T>) {
    for (int run = 1; run < Width; run *= 2) x = op(x, exchange<Width>(x, run));
    return x;
  } else {
    return broadcast<Width>(reduce<Width>(x, op));
  }
}

// The fold of the values of the group's first `count` lanes, as above, in all its lanes.
template <int Width = warp_size, class T, class Op>
__device__ T all_reduce(T x, Op op, int count) {
  x = reduce<Width>(x, op, count);
  return Width == warp_size && detail::has_redux<T, Op> ? x : broadcast<Width>(x);
}

}  // namespace tally::warp
