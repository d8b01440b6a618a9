// SPDX-License-Identifier: Apache-2.0
//
// What lanes do for exact sums and means of floating-point rows: both ends of an interval that the
// sum lies in, which mostly round to one result.
#pragma once

#include "tally/aggregate/names.hpp"
#include "tally/device/reduce/rows/lanes.cuh"
#include "tally/device/sum/interval.cuh"

namespace tally::device {

// Adds an element to both ends. What is not finite makes them so.
template <floating T>
__device__ void add_between(interval& s, T x) {
  double const y = as_double(x);
  s.least = __dadd_rd(s.least, y), s.most = __dadd_ru(s.most, y);
}
template <floating T>
__device__ void add_between(long_interval& s, T x) {
  s.add(x);
}

// Exact sums, between two ends (interval.cuh), of two doubles, or of three where that is not enough
// to tell a double's last bit.
template <floating T, floating R>
inline constexpr bool needs_long_interval = std::is_same_v<T, double> || std::is_same_v<R, double>;
template <floating T, floating R, bool Long = needs_long_interval<T, R>>
struct lanes_of_sums {
  using element = T;
  using result = R;
  using sum = std::conditional_t<Long, long_interval, interval>;
  static constexpr bool is_certain = false;

  bool skips_nan;

  __device__ sum none() const { return {}; }
  __device__ void add(sum& s, element x, std::uint64_t) const {
    if (skips_nan && is_nan(x)) return;
    add_between(s, x);
  }
  __device__ sum combine(sum const& s, sum const& t) const { return s + t; }
  __device__ bool finish(sum const& s, std::uint64_t, result& out) const {
    using rounding = std::conditional_t<Long, rounded_long_interval, rounded_interval>;
    bool doubt = false;
    out = rounding(long_interval{}, s).template round<R, T>(doubt);
    return !doubt;
  }
  auto again() const
    requires(!Long)
  {
    return lanes_of_sums<T, R, true>{skips_nan};
  }
};
template <floating T, floating R, floating State>
struct lanes_for<exact_sum<T, R, State>> {
  using type = lanes_of_sums<T, R>;
  static type make(auto const&, bool skips_nan) { return {skips_nan}; }
};

// Exact means of what doubles hold: both ends of the sum, divided, and rounded as the sum is.
template <floating T, floating R>
struct lanes_of_means {
  using element = T;
  using result = R;
  struct sum {
    interval of_all;
    unsigned long long count;
  };
  static constexpr bool is_certain = false;

  bool skips_nan;

  __device__ sum none() const { return {}; }
  __device__ void add(sum& s, element x, std::uint64_t) const {
    if (skips_nan && is_nan(x)) return;
    add_between(s.of_all, x);
    ++s.count;
  }
  __device__ sum combine(sum const& s, sum const& t) const {
    return {s.of_all + t.of_all, s.count + t.count};
  }
  __device__ bool finish(sum const& s, std::uint64_t, result& out) const {
    if (s.count == 0 || s.count >= 1ull << 53) return false;
    double const n = double(s.count);
    interval const ends{__ddiv_rd(s.of_all.least, n), __ddiv_ru(s.of_all.most, n)};
    out = rounded<R, float>(ends.most);
    // A quotient may vanish, and a zero has its sign.
    return as_real(rounded<R, float>(ends.least)) == as_real(out) &&
           (as_real(out) != 0 || ends.is_exact());
  }
};
template <floating T, floating R>
  requires(!needs_long_interval<T, R>)
struct lanes_for<exact_mean<T, R>> {
  using type = lanes_of_means<T, R>;
  static type make(auto const&, bool skips_nan) { return {skips_nan}; }
};

}  // namespace tally::device
