// SPDX-License-Identifier: Apache-2.0
//
// What lanes do for exact sums of floating-point rows, and of products of pairs: both ends of an
// interval that the sum lies in, which mostly round to one result.
#pragma once

#include "tally/aggregate/names.hpp"
#include "tally/aggregate/zipped.hpp"
#include "tally/device/reduce/rows/lanes.cuh"
#include "tally/device/sum/interval.cuh"

namespace tally::device {

template <aggregate A, class Adder>
struct sum_agent;

// The product, rounded, and between what its error is.
__device__ inline long_interval product_between(double x, double y) {
  double const product = detail::rounded_product(x, y);
  return {product, __fma_rd(x, y, -product), __fma_ru(x, y, -product)};
}

// Adds an element to both ends. What is not finite makes them so.
template <floating T>
__device__ void add_between(interval& s, T x) {
  double const y = as_double(x);
  s.least = __dadd_rd(s.least, y), s.most = __dadd_ru(s.most, y);
}
template <floating T>
__device__ void add_between(interval& s, zipped<T, T> const& pair) {
  double const x = as_double(pair.first), y = as_double(pair.second);
  s.least = __fma_rd(x, y, s.least), s.most = __fma_ru(x, y, s.most);
}
template <floating T>
__device__ void add_between(long_interval& s, T x) {
  s.add(x);
}
template <floating T>
__device__ void add_between(long_interval& s, zipped<T, T> const& pair) {
  s = s + product_between(as_double(pair.first), as_double(pair.second));
}

// Rounds what lies between such ends, a sum of multiples of T's least number, if both have one
// result. Two doubles are no number only where the sum is none: what is narrower than they are does
// not overflow in them.
template <floating T, floating R>
__device__ bool round_sum(interval const& s, R& out) {
  bool doubt = false;
  out = rounded_interval(long_interval{}, s).round<R, T>(doubt);
  if (!is_nan(s.most)) return !doubt;
  out = quiet_nan<R>();
  return true;
}
template <floating T, floating R>
__device__ bool round_sum(long_interval const& s, R& out) {
  bool doubt = false;
  out = rounded_long_interval(long_interval{}, s).round<R, T>(doubt);
  return !doubt;
}

// What is added up, T or pairs of it, and what its sums are multiples of the least number of.
template <class E>
struct summand {
  using type = E;
  using multiple = E;
};
template <class T>
struct summand<zipped<T, T>> {
  using type = T;
  using multiple = double;
};

// Exact sums, between two ends (interval.cuh), of two doubles, or of three where that is not enough
// to tell a double's last bit. E is an element, or a pair that stands for its product.
template <class E, floating R>
inline constexpr bool needs_long_interval =
    std::is_same_v<typename summand<E>::type, double> || std::is_same_v<R, double>;
template <class E, floating R, bool Long = needs_long_interval<E, R>>
struct lanes_of_sums {
  using element = E;
  using result = R;
  using sum = std::conditional_t<Long, long_interval, interval>;
  static constexpr bool is_certain = false;

  bool skips_nan;

  __device__ sum none() const { return {}; }
  __device__ void add(sum& s, element const& x, std::uint64_t) const {
    if (skips_nan && is_nan(x)) return;
    add_between(s, x);
  }
  __device__ sum combine(sum const& s, sum const& t) const { return s + t; }
  __device__ bool finish(sum const& s, std::uint64_t, result& out) const {
    return round_sum<typename summand<E>::multiple>(s, out);
  }
  auto again() const
    requires(!Long)
  {
    return lanes_of_sums<E, R, true>{skips_nan};
  }
};
template <floating T, floating R, floating State, class Adder>
struct lanes_for<sum_agent<exact_sum<T, R, State>, Adder>> {
  static lanes_of_sums<T, R> make(auto const& agent) { return {agent.skips_nan}; }
};
template <floating T, floating R, class Adder>
struct lanes_for<sum_agent<exact_dot<T, R>, Adder>> {
  static lanes_of_sums<zipped<T, T>, R> make(auto const& agent) { return {agent.skips_nan}; }
};

}  // namespace tally::device
