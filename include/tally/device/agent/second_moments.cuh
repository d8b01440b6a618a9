// SPDX-License-Identifier: Apache-2.0
//
// Variances, standard deviations, sums of squares and norms by one kernel for each type: what is
// made of the moments is chosen when it runs.
#pragma once

#include "tally/aggregate/sum_of_squares.hpp"
#include "tally/device/agent/moments.cuh"

namespace tally::device {

template <element T, floating R>
struct any_second_moment : moments<T, true> {
  using typename moments<T, true>::state;
  using result = R;
  second_moment chosen;
  std::uint64_t ddof;

  __device__ bool empty(state const& s) const { return is_spread() && s.count == 0; }
  __device__ R lower(state const& s) const {
    if (is_spread()) return detail::variance_of<R, T>(s, ddof, takes_root());
    if (takes_root()) return detail::norm_of<R, T>(s);
    return detail::of_squares<R, T>(s, [&] { return s.squares.finite.template round<R>(); });
  }
  __device__ bool estimate(detail::leading const& sum, detail::leading const& squares,
                           std::uint64_t count, R& out) const {
    if (is_spread()) return detail::estimate_variance(sum, squares, count, ddof, takes_root(), out);
    return detail::estimate_squares(squares, takes_root(), out);
  }

 private:
  __device__ bool is_spread() const { return chosen <= second_moment::standard_deviation; }
  __device__ bool takes_root() const {
    return chosen == second_moment::standard_deviation || chosen == second_moment::norm;
  }
};

template <aggregate A>
  requires requires { A::which; } && floating<typename A::result>
struct form_for<A> {
  using chosen = any_second_moment<typename A::element, typename A::result>;
  static auto make(A const& a, bool skips_nan) {
    std::uint64_t ddof = 0;
    if constexpr (requires { a.ddof; }) ddof = a.ddof;
    return moments_form<chosen, true>{skips_nan, {{}, A::which, ddof}};
  }
};

}  // namespace tally::device
