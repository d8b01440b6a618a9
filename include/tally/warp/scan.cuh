// SPDX-License-Identifier: Apache-2.0
//
// Prefix sums over the lanes of a group (shuffle.cuh says what that is). The operator must be
// associative and need not commute. A lane reads from lanes before it only, so the last lanes of a
// group may be missing.
#pragma once

#include "tally/warp/reduce.cuh"

namespace tally::warp {

namespace detail {

template <class Op, class T>
inline constexpr bool subtracts =
    std::is_integral_v<T> && !std::is_same_v<T, bool> && std::is_same_v<Op, plus>;

// The fold of the group's values before the calling lane's own, made of the fold `through` it. In
// the first lane it is 0 if the operator `subtracts`, else unspecified.
template <int Width = warp_size, class T, class Op>
__device__ T before(T through, T x, Op) {
  if constexpr (subtracts<Op, T>)
    return T(std::make_unsigned_t<T>(through) - std::make_unsigned_t<T>(x));
  else
    return shift_up<Width>(through);
}

// x is the fold of the `First` values up to each lane's own, or of all there are; the result is
// that of `Last`. The distance doubles with every step (Hillis and Steele, 1986).
template <int First, int Last, int Width = warp_size, class T, class Op>
__device__ T widen(T x, Op op) {
  int const lane = warp::lane<Width>();
  for (int run = First; run < Last; run *= 2) {
    T const before = shift_up<Width>(x, run);
    if constexpr (std::is_floating_point_v<T> && !commutes<Op, T>) {
      T const both = op(before, x);  // also where it is not wanted: takes an instruction less
      x = lane >= run ? both : x;
    } else if (lane >= run) {
      x = op(before, x);
      // Left to itself, the compiler adds a selected 0, which takes an instruction more.
      if constexpr (std::is_integral_v<T>) asm volatile("");
    }
  }
  return x;
}

}  // namespace detail

// The fold of the group's values up to the calling lane's own.
template <int Width = warp_size, class T, class Op>
__device__ T inclusive_scan(T x, Op op) {
  return detail::widen<1, Width, Width>(x, op);
}

// The same of groups of so many lanes, a power of 2 that is known at run time.
template <class T, class Op>
__device__ T inclusive_scan_of(T x, Op op, unsigned width) {
  unsigned const lane = unsigned(warp::lane<warp_size>()) & (width - 1);
  for (unsigned run = 1; run < width; run *= 2) {
    T const earlier = shift_up(x, int(run));
    if (lane >= run) x = op(earlier, x);
  }
  return x;
}

// The fold of the group's values before the calling lane's own; in its first lane unspecified.
template <int Width = warp_size, class T, class Op>
__device__ T exclusive_scan(T x, Op op) {
  return detail::before<Width>(inclusive_scan<Width>(x, op), x, op);
}

// The fold of init and the group's values before the calling lane's own: init in its first lane.
template <int Width = warp_size, class T, class Op>
__device__ T exclusive_scan(T x, Op op, std::type_identity_t<T> init) {
  T const before = exclusive_scan<Width>(x, op);
  bool const none = !detail::subtracts<Op, T> && lane<Width>() == 0;
  return none ? init : op(init, before);
}

}  // namespace tally::warp
