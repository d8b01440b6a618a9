// SPDX-License-Identifier: Apache-2.0
//
// mean, variance, standard_deviation: one exact sum, one exact sum of squares, one rounding
// (definition/moments.hpp). moments_state: the sums.
#pragma once

#include "tally/aggregate/names.hpp"

namespace tally {
namespace detail {

template <element T, class R>
using moment_result =
    std::conditional_t<!std::is_void_v<R>, R, std::conditional_t<integer<T>, double, T>>;

}  // namespace detail

// mean{}: the exact sum over n, rounded once; the input's type, or double for integers.
template <class R = void>
struct basic_mean : detail::rounded_to_any<basic_mean> {
  static constexpr char const* name = "mean";
  static constexpr char const* summary = "the exact mean, rounded once";
  template <element T>
    requires floating<detail::moment_result<T, R>>
  using result = detail::moment_result<T, R>;

  template <element T>
  auto on() const {
    return exact_mean<T, detail::moment_result<T, R>>{};
  }
};
using mean = basic_mean<>;

// variance{}, standard_deviation{}: divided by n, or by n - ddof; NaN if n <= ddof.
template <class R, bool Root>
struct basic_variance {
  static constexpr char const* name = Root ? "standard_deviation" : "variance";
  static constexpr char const* summary =
      Root ? "the root of the exact variance, rounded once" : "the exact variance, rounded once";
  template <element T>
    requires floating<detail::moment_result<T, R>>
  using result = detail::moment_result<T, R>;
  std::uint64_t ddof = 0;

  template <class Other>
  constexpr basic_variance<Other, Root> as() const {
    return {ddof};
  }
  template <element T>
  auto on() const {
    exact_variance<T, detail::moment_result<T, R>, Root> a;
    a.ddof = ddof;
    return a;
  }
};
using variance = basic_variance<void, false>;
using standard_deviation = basic_variance<void, true>;

// moments_state{}: how many elements there are, and the exact sums of them and of their squares, of
// which any part of an array has its own. Those of two parts are put together, and all that is made
// of them comes from them:
//
//   auto s = reduce(here, x, moments_state{});
//   s.merge(reduce(there, y, moments_state{}));
//   standard_deviation{}.on<float>().lower(s);       // of x and y
struct moments_state {
  static constexpr char const* name = "moments_state";
  static constexpr char const* summary = "the count, the exact sum and the exact sum of squares";
  template <element T>
  using result = moment_sums<T, true>;

  template <element T>
  auto on() const {
    return exact_moments<T>{};
  }
};

}  // namespace tally
