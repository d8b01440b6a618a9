// SPDX-License-Identifier: Apache-2.0
//
// Variances, standard deviations, sums of squares and norms by one kernel for each type: what is
// made of the moments is chosen when it runs.
#pragma once

#include "tally/definition/sum_of_squares.hpp"
#include "tally/device/reduce/agent/moments.cuh"

namespace tally::device {

enum class second_moment : unsigned char { variance, standard_deviation, sum_of_squares, norm };

template <element T, floating R>
struct any_second_moment : moments<T, true> {
  using typename moments<T, true>::state;
  using result = R;
  second_moment chosen;
  std::uint64_t ddof;

  __device__ bool is_spread() const { return chosen <= second_moment::standard_deviation; }
  __device__ bool takes_root() const {
    return chosen == second_moment::standard_deviation || chosen == second_moment::norm;
  }
  __device__ bool empty(state const& s) const { return is_spread() && s.count == 0; }
  __device__ R lower(state const& s) const {
    if (is_spread()) return detail::variance_of<R, T>(s, ddof, takes_root());
    if (takes_root()) return detail::norm_of<R, T>(s);
    return detail::of_squares<R, T>(s, [&] { return s.squares.finite.template round<R>(); });
  }
};

template <element T, floating R>
struct quick_phase<any_second_moment<T, R>> {
  static __device__ bool round(any_second_moment<T, R> const& a, detail::approximation const& sum,
                               detail::approximation const& squares, std::uint64_t n, R& out) {
    if (a.is_spread()) return detail::quick_variance(sum, squares, n, a.ddof, a.takes_root(), out);
    return detail::quick_squares(squares, a.takes_root(), out);
  }
};
template <element T, floating R, bool Root>
struct quick_phase<exact_variance<T, R, Root>> {
  static __device__ bool round(exact_variance<T, R, Root> const& a,
                               detail::approximation const& sum,
                               detail::approximation const& squares, std::uint64_t n, R& out) {
    return detail::quick_variance(sum, squares, n, a.ddof, Root, out);
  }
};
template <element T, floating R>
struct quick_phase<exact_sum_of_squares<T, R>> {
  static __device__ bool round(exact_sum_of_squares<T, R> const&, detail::approximation const&,
                               detail::approximation const& squares, std::uint64_t, R& out) {
    return detail::quick_squares(squares, false, out);
  }
};
template <element T, floating R>
struct quick_phase<exact_norm<T, R>> {
  static __device__ bool round(exact_norm<T, R> const&, detail::approximation const&,
                               detail::approximation const& squares, std::uint64_t, R& out) {
    return detail::quick_squares(squares, true, out);
  }
};

template <element T, floating R>
struct lanes_result<any_second_moment<T, R>> {
  static __device__ bool of(any_second_moment<T, R> const& a, auto const& s, std::uint64_t n,
                            std::uint64_t, R& out) {
    if (a.is_spread()) return s.variance(n, a.ddof, a.takes_root(), out);
    return s.squares(a.takes_root(), out);
  }
};

template <element T, floating R>
using any_second_moment_agent = moments_agent<any_second_moment<T, R>, true, false>;

template <element T, floating R, bool Root>
struct agent_for<exact_variance<T, R, Root>> {
  static any_second_moment_agent<T, R> make(exact_variance<T, R, Root> const& a, bool skips_nan) {
    auto const which = Root ? second_moment::standard_deviation : second_moment::variance;
    return {skips_nan, {{}, which, a.ddof}};
  }
};
template <element T, floating R>
struct agent_for<exact_norm<T, R>> {
  static any_second_moment_agent<T, R> make(exact_norm<T, R> const&, bool skips_nan) {
    return {skips_nan, {{}, second_moment::norm, 0}};
  }
};
template <element T, element R>
struct agent_for<exact_sum_of_squares<T, R>> {
  using type = moments_agent<exact_sum_of_squares<T, R>, true, false>;
};
template <element T, floating R>
struct agent_for<exact_sum_of_squares<T, R>> {
  static any_second_moment_agent<T, R> make(exact_sum_of_squares<T, R> const&, bool skips_nan) {
    return {skips_nan, {{}, second_moment::sum_of_squares, 0}};
  }
};

}  // namespace tally::device
