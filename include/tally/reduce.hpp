// SPDX-License-Identifier: Apache-2.0
//
// Reductions: one value from all elements, the same bits wherever and in how many pieces it is
// computed. For operators and aggregates of one's own, <tally/cpu_operators.hpp>, which tally.hpp
// brings, is to be included, too.
#pragma once

#include "tally/cpu/reductions.hpp"
#include "tally/known_elements.hpp"
#include "tally/where.hpp"

namespace tally {

// The elements of `in`, an array (contiguous.hpp) or an input (transform.hpp, zip.hpp), put
// together by `op`: a named aggregate (sum{}, mean{}, arg_minimum{}, ...), or an associative
// operator T(T, T), which need not commute. On a gpu, the device must be able to read `in`, and the
// call waits for the stream.
template <execution Where, detail::readable R, class Op>
auto reduce(Where&& where, R const& in, Op const& op, reduce_options options = {}) {
  detail::settled_memory<detail::element_of<R>> const during;
  return detail::calls_on<detail::reductions_on, Where>::value(
      where, detail::elements_for<Op>("reduce", in), op, options.nan);
}

// The same, written to `out`: a pointer to a result, or a span or other array of one. A gpu writes
// it in the stream's order, to memory of the device, and the call waits for nothing; where all
// elements are NaNs to be skipped, and the aggregate has no answer to that, the result is then what
// it makes of no elements.
template <execution Where, detail::readable R, class Out, class Op>
void reduce_into(Where&& where, R const& in, Out&& out, Op const& op, reduce_options options = {}) {
  detail::settled_memory<detail::element_of<R>, detail::type_at<Out>> const during;
  detail::calls_on<detail::reductions_on, Where>::into(
      where, detail::elements_for<Op>("reduce", in), out, op, options.nan);
}

}  // namespace tally
