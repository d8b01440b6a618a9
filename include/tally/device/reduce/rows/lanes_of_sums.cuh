// SPDX-License-Identifier: Apache-2.0
//
// What lanes do for exact sums and means of floating-point rows: both ends of an interval that the
// sum lies in, which mostly round to one result.
#pragma once

#include "tally/aggregate/names.hpp"
#include "tally/device/reduce/rows/lanes.cuh"
#include "tally/device/sum/interval.cuh"

namespace tally::device {

// The result of which both ends are known, if they round to the same. Zeros have a sign, which is
// known where nothing was rounded.
template <floating Out, floating In>
__device__ bool round_between(double least, double most, Out& out) {
  Out const down = rounded<Out, In>(least), up = rounded<Out, In>(most);
  out = up;
  return as_real(down) == as_real(up) && (as_real(up) != 0 || least == most);
}

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
  static constexpr bool is_long = Long;
  using sum = std::conditional_t<is_long, long_interval, interval>;
  static constexpr bool is_certain = false;

  bool skips_nan;

  __device__ sum none() const { return {}; }
  __device__ void add(sum& s, element x, std::uint64_t) const {
    if (skips_nan && is_nan(x)) return;
    add_between(s, x);
  }
  template <int Each>
  __device__ void add(sum& s, batch<element, 1, Each> const& x, std::uint64_t first) const {
#pragma unroll
    for (int k = 0; k < Each; ++k) add(s, x[k], first + k);
  }
  __device__ sum combine(sum const& s, sum const& t) const { return s + t; }
  __device__ bool finish(sum const& s, std::uint64_t, result& out) const {
    if constexpr (is_long) {
      auto const x = s.normalised();
      R const down = rounded_pair<R, T>(x.head, x.least), up = rounded_pair<R, T>(x.head, x.most);
      out = up;
      return as_real(down) == as_real(up) && (as_real(up) != 0 || x.is_exact());
    } else {
      return round_between<R, T>(s.least, s.most, out);
    }
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
  template <int Each>
  __device__ void add(sum& s, batch<element, 1, Each> const& x, std::uint64_t first) const {
#pragma unroll
    for (int k = 0; k < Each; ++k) add(s, x[k], first + k);
  }
  __device__ sum combine(sum const& s, sum const& t) const {
    return {s.of_all + t.of_all, s.count + t.count};
  }
  __device__ bool finish(sum const& s, std::uint64_t, result& out) const {
    double const n = double(s.count);
    return s.count > 0 && s.count < 1ull << 53 &&
           round_between<R, float>(__ddiv_rd(s.of_all.least, n), __ddiv_ru(s.of_all.most, n), out);
  }
};
template <floating T, floating R>
  requires(!needs_long_interval<T, R>)
struct lanes_for<exact_mean<T, R>> {
  using type = lanes_of_means<T, R>;
  static type make(auto const&, bool skips_nan) { return {skips_nan}; }
};

}  // namespace tally::device
