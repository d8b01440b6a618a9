// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <limits>
#include <type_traits>

#include "applied.cuh"

// What a rung reduces with. An operator combines states, of which an element is one; the last to
// hold the total of everything gives finish(total) as the answer. `partial` is the operator for
// all passes but the last.
namespace ladder {

template <class T>
struct sum {
  using element = T;
  using state = std::conditional_t<std::is_integral_v<T>, long long, T>;
  using result = state;
  using partial = sum;
  __host__ __device__ static state identity() { return 0; }
  __device__ state operator()(state a, state b) const {
    applied();
    return a + b;
  }
  __device__ result finish(state total) const { return total; }
};

// The mean of nothing is NaN.
template <class T>
struct mean : sum<T> {
  using result = std::conditional_t<std::is_integral_v<T>, double, T>;
  using partial = sum<T>;
  std::size_t n;
  explicit mean(std::size_t n) : n(n) {}
  __device__ result finish(typename sum<T>::state total) const { return result(total) / result(n); }
};

template <class T>
constexpr bool has_infinity = std::numeric_limits<T>::has_infinity;
template <class T>
constexpr T greatest =
    has_infinity<T> ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
template <class T>
constexpr T least =
    has_infinity<T> ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();

// The lesser and the greater: a NaN wins over every number, and -0.0 is less than +0.0.
template <class T>
__device__ bool precedes(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a == b) return __float_as_int(a) < __float_as_int(b);  // the two zeros
  }
  return a < b;
}

template <class T>
struct minimum {
  using element = T;
  using state = T;
  using result = T;
  using partial = minimum;
  __host__ __device__ static T identity() { return greatest<T>; }
  __device__ T operator()(T a, T b) const {
    applied();
    return a != a || precedes(a, b) ? a : b;
  }
  __device__ T finish(T total) const { return total; }
};

template <class T>
struct maximum {
  using element = T;
  using state = T;
  using result = T;
  using partial = maximum;
  __host__ __device__ static T identity() { return least<T>; }
  __device__ T operator()(T a, T b) const {
    applied();
    return a != a || precedes(b, a) ? a : b;
  }
  __device__ T finish(T total) const { return total; }
};

// A linear recurrence, y = a * y + b from one element to the next (Blelloch, 1990). Its steps are
// functions of y: one after the other is such a step again, and they do not commute. The element x
// is the step to x - y if it is odd, or of a float if it is negative; else to x + y.
template <class T>
struct recurrence {
  using number = std::conditional_t<std::is_integral_v<T>, long long, T>;
  struct step {
    number a, b;
  };
  using element = T;
  using state = step;
  using result = number;
  __device__ static step lift(T x) {
    if constexpr (std::is_integral_v<T>)
      return {x % 2 != 0 ? -1 : 1, x};
    else
      return {x < 0 ? T(-1) : T(1), x};
  }
  __host__ __device__ static step identity() { return {1, 0}; }
  __device__ step operator()(step first, step then) const {
    applied();
    return {first.a * then.a, then.a * first.b + then.b};
  }
  // From y = 0 on.
  __device__ result finish(step all) const { return all.b; }
};

}  // namespace ladder
