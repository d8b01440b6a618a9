// SPDX-License-Identifier: Apache-2.0
//
// What lanes do for means, variances and sums of squares (moments.cuh has what they add up).
#pragma once

#include "tally/aggregate/names.hpp"
#include "tally/device/reduce/rows/lanes.cuh"
#include "tally/device/reduce/rows/moments.cuh"

namespace tally::device {

// lanes_result<A>::of(a, moments, n, absent, out) makes the result of an aggregate of moments of n
// elements, beside so many NaN that do not count.
template <class A>
struct lanes_result;
template <element T, floating R>
struct lanes_result<exact_mean<T, R>> {
  static __device__ bool of(auto const&, auto const& s, std::uint64_t n, std::uint32_t, R& out) {
    return s.mean(n, out);
  }
};
template <element T, floating R, bool Root>
struct lanes_result<exact_variance<T, R, Root>> {
  static __device__ bool of(auto const& a, auto const& s, std::uint64_t n, std::uint32_t, R& out) {
    return s.variance(n, a.ddof, Root, out);
  }
};
template <element T, element R>
struct lanes_result<exact_sum_of_squares<T, R>> {
  static __device__ bool of(auto const&, auto const& s, std::uint64_t, std::uint32_t, R& out) {
    return s.squares(false, out);
  }
};
template <element T, floating R>
struct lanes_result<exact_norm<T, R>> {
  static __device__ bool of(auto const&, auto const& s, std::uint64_t, std::uint32_t, R& out) {
    return s.squares(true, out);
  }
};
template <floating T, floating R>
struct lanes_result<exact_sum<T, R, T>> {
  static __device__ bool of(auto const&, auto const& s, std::uint64_t, std::uint32_t, R& out) {
    return s.sum(out);
  }
};
template <integer T, integer R>
struct lanes_result<integer_sum<T, R>> {
  static __device__ bool of(auto const&, auto const& s, std::uint64_t, std::uint32_t, R& out) {
    return s.sum(out);
  }
};

// Of rows of up to so many elements an aggregate of narrow integers always knows the result: a
// double has all that it is made of.
template <class A>
inline constexpr std::uint64_t longest_certain = 0;
template <narrow_integer T>
inline constexpr std::uint64_t longest_certain<exact_mean<T, double>> =
    (std::uint64_t(1) << 31) - 1;
template <narrow_integer T, element R>
  requires(integer<R> || std::is_same_v<R, double>)
inline constexpr std::uint64_t longest_certain<exact_sum_of_squares<T, R>> =
    std::uint64_t(1) << (sizeof(T) == 1 ? 30 : 21);
template <narrow_integer T>
inline constexpr std::uint64_t longest_certain<exact_norm<T, double>> =
    std::uint64_t(1) << (sizeof(T) == 1 ? 30 : 21);

// Whether a result is a double, whose last bit two others do not tell.
template <class A>
inline constexpr bool gives_double = std::is_same_v<typename A::result, double>;
// Whether NaNs are counted where they are not skipped, too.
template <class A>
inline constexpr bool counts_nan = false;
// Whether an aggregate says that the first element may be left out of all.
template <class A>
inline constexpr bool may_leave_out = requires(A const a) { a.is_spread(); };

template <class Moments>
inline constexpr bool is_long = false;
template <floating T, bool Squares>
inline constexpr bool is_long<long_moments<T, Squares>> = true;

// The lanes of an aggregate A that is made of `Moments`, of a row's elements or of these less the
// first.
template <aggregate A, class Moments, bool LessFirst = false>
struct lanes_of_moments {
  using element = typename A::element;
  using result = typename A::result;
  // Structs in one another: nvcc copies those that derive from others byte by byte.
  struct counted {
    Moments moments;
    std::uint32_t aside;  // NaN, or integers that do not fit
  };
  struct all {
    Moments moments;
  };
  static constexpr bool may_exceed = requires { requires Moments::may_exceed; };
  static constexpr std::uint64_t longest_certain = device::longest_certain<A>;
  using sum = std::conditional_t<floating<element> || may_exceed, counted, all>;
  static constexpr bool is_certain = false;

  bool skips_nan;
  A a;
  double first = 0;

  template <class Row>
  __device__ lanes_of_moments of_row(Row const& row) const
    requires LessFirst
  {
    auto lanes = *this;
    if (a.is_spread() && row.size() > 0) lanes.first = as_double(row[0]);
    if (!is_finite(lanes.first)) lanes.first = 0;
    return lanes;
  }
  __device__ sum none() const { return {}; }
  __device__ void add(sum& s, element x, std::uint64_t) const {
    if constexpr (may_exceed) s.aside += !Moments::fits(x);
    if constexpr (floating<element>)
      if ((counts_nan<A> || skips_nan) && is_nan(x)) {
        ++s.aside;
        if (skips_nan) return;
      }
    if constexpr (LessFirst)
      s.moments.add_less(x, first);
    else
      s.moments.add(x);
  }
  template <class Batch>
  __device__ void add_vector(sum& s, Batch const& x, std::uint64_t) const
    requires(narrow_integer<element> && Batch::in_words)
  {
    s.moments.add_words(x);
  }
  __device__ sum combine(sum const& s, sum const& t) const {
    if constexpr (floating<element> || may_exceed)
      return {{s.moments.of + t.moments.of}, s.aside + t.aside};
    else
      return {{s.moments.of + t.moments.of}};
  }
  template <class Out>
  __device__ bool finish(sum const& s, std::uint64_t n, Out&& out) const {
    std::uint32_t absent = 0;
    if constexpr (may_exceed)
      if (s.aside != 0) return false;
    if constexpr (floating<element>) {
      if ((counts_nan<A> || skips_nan) && n >> 32) return false;
      absent = s.aside;
    }
    return lanes_result<A>::of(a, s.moments, n - (skips_nan ? absent : 0), absent, out);
  }
  auto again() const
    requires(floating<element> && !LessFirst && (!is_long<Moments> || may_leave_out<A>))
  {
    using longer = long_moments<element, Moments::has_squares>;
    return lanes_of_moments<A, longer, may_leave_out<A>>{skips_nan, a};
  }
};

template <aggregate A, bool Squares>
auto make_lanes_of_moments(A const& a, bool skips_nan) {
  using T = typename A::element;
  if constexpr (integer<T>)
    return lanes_of_moments<A, whole_moments<T, Squares>>{skips_nan, a};
  else if constexpr (std::is_same_v<T, double> || gives_double<A>)
    return lanes_of_moments<A, long_moments<T, Squares>>{skips_nan, a};
  else
    return lanes_of_moments<A, moments_between<T, Squares>>{skips_nan, a};
}
template <aggregate A, bool Squares, bool GivesState>
struct moments_agent;
template <aggregate A, bool Squares>
struct lanes_for<moments_agent<A, Squares, false>> {
  static auto make(auto const& agent) {
    return make_lanes_of_moments<A, Squares>(agent.a, agent.skips_nan);
  }
};

}  // namespace tally::device
