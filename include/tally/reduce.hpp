// SPDX-License-Identifier: Apache-2.0
//
// Reductions: one value from all elements, the same bits wherever and in how many pieces it is
// computed. For operators and aggregates of one's own, <tally/cpu_operators.hpp>, which tally.hpp
// brings, is to be included, too.
#pragma once

#include "tally/cpu/reductions.hpp"
#include "tally/known_elements.hpp"
#include "tally/rows.hpp"
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

namespace detail {

// `in` as Op takes it.
template <class Op, readable_rows R>
auto rows_for(R const& in) {
  using T = element_of_rows<R>;
  if constexpr (knows_elements<Op, T>) {
    return known_rows(rows_input(in));
  } else {
    if constexpr (!aggregate<Op> && !requires(Op const op) { op.template on<T>(); })
      require_operator<Op, T, T>();
    return rows_input(in);
  }
}

}  // namespace detail

// A result for each row (rows.hpp, row_inputs.hpp), whose bits depend on that row alone, and whose
// indices count from its begin. A row in which no element counts has one, too: sums and counts 0, a
// product 1, minima and maxima the ends of their type, positions -1, means and variances NaN, an
// operator without an identity a default value.
//
//   tally::reduce(here, tally::rows{x, 100, 8}, tally::maximum{})      // a vector of 100
template <execution Where, detail::readable_rows R, class Op>
auto reduce(Where&& where, R const& in, Op const& op, reduce_options options = {}) {
  detail::settled_memory<detail::element_of_rows<R>> const during;
  return detail::calls_on<detail::reductions_on, Where>::value(where, detail::rows_for<Op>(in), op,
                                                               options.nan);
}

// The same, written to `out`, an array of as many results or rows of one; on a gpu asynchronously.
template <execution Where, detail::readable_rows R, class Out, class Op>
void reduce_into(Where&& where, R const& in, Out&& out, Op const& op, reduce_options options = {}) {
  detail::settled_memory<detail::element_of_rows<R>, detail::results_in<Out>> const during;
  detail::calls_on<detail::reductions_on, Where>::into(where, detail::rows_for<Op>(in), out, op,
                                                       options.nan);
}

}  // namespace tally
