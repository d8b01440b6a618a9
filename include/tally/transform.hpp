// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/aggregate/zipped.hpp"
#include "tally/functions.hpp"
#include "tally/input.hpp"

namespace tally {

namespace detail {

// An element as f takes it: as what it counts as, if f takes no T.
template <class F, class T>
TALLY_FN decltype(auto) given_to(T const& x) {
  if constexpr (std::is_same_v<T, counts_as<T>> || std::is_invocable_v<F const&, T const&>)
    return (x);
  else
    return as_counted{}(x);
}

}  // namespace detail

// f of the elements of another input, computed while they are read.
template <input In, class F>
struct transform_input {
  using element = std::remove_cvref_t<std::invoke_result_t<
      F const&, decltype(detail::given_to<F>(std::declval<typename In::element const&>()))>>;
  In in;
  F f;

  TALLY_FN element operator[](std::uint64_t i) const { return f(detail::given_to<F>(in[i])); }
  TALLY_FN std::uint64_t size() const { return in.size(); }
  TALLY_FN auto address(std::uint64_t i) const
    requires requires { in.address(i); }
  {
    return in.address(i);
  }
};

// transform(x, f): f(x[0]), f(x[1]), ... without an array to hold them; x, an array or an input,
// must outlive it. What reads it gives the bits that it gives for an array of these values:
//
//   tally::reduce(here, tally::transform(x, tally::absolute{}), tally::maximum{})
//
// The elements have the type that f returns. f may be called from several threads, any number of
// times for an element. `nan = skip` looks at what f returns.
template <detail::readable R, class F>
auto transform(R const& x, F const& f) {
  static_assert(std::is_trivially_copyable_v<F>, "transform: f must be trivially copyable");
  return transform_input<detail::input_type<R>, F>{detail::input_of("transform", "x", x), f};
}

}  // namespace tally
