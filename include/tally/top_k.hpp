// SPDX-License-Identifier: Apache-2.0
//
// The k best elements and where they are: exactly what a stable sort would put first.
#pragma once

#include "tally/cpu/selections.hpp"
#include "tally/where.hpp"

namespace tally {

// The k best elements of `in`, an array or an input (transform.hpp), copied bit for bit, for k from
// 0 to in.size(). Ties go to the lower index. All NaNs are equal, and larger than +inf; -0.0 equals
// +0.0. Skipped NaNs and `distinct` can leave fewer than k. Extra memory: at most 15 % of an
// array's bytes, and about a megabyte a thread.
template <execution Where, detail::readable R>
  requires element<detail::element_of<R>>
auto top_k(Where&& where, R const& in, std::uint64_t k, top_k_options options = {}) {
  static_assert(detail::runs_on<detail::selections_on, Where>, "top_k does not run on a gpu yet");
  return detail::calls_on<detail::selections_on, Where>::best(where, in, k, options);
}

// The same, into the front of `values` and `indices`, which have room for k and are apart from
// `in`; returns how many.
template <execution Where, detail::readable R, detail::contiguous Values,
          detail::contiguous Indices>
  requires element<detail::element_of<R>>
std::uint64_t top_k_into(Where&& where, R const& in, std::uint64_t k, Values&& values,
                         Indices&& indices, top_k_options options = {}) {
  static_assert(detail::runs_on<detail::selections_on, Where>,
                "top_k_into does not run on a gpu yet");
  static_assert(std::is_same_v<detail::value_of<Values>, detail::element_of<R>>,
                "top_k_into: values holds another type than the elements'");
  static_assert(std::is_same_v<detail::value_of<Indices>, std::int64_t>,
                "top_k_into: indices are std::int64_t");
  return detail::calls_on<detail::selections_on, Where>::into(where, in, k, detail::span_of(values),
                                                              detail::span_of(indices), options);
}

}  // namespace tally
