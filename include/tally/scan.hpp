// SPDX-License-Identifier: Apache-2.0
//
// Prefix scans: each output is the reduction of all elements up to it. For operators of one's own,
// <tally/cpu_operators.hpp>, which tally.hpp brings, is to be included, too. On a gpu they are
// asynchronous, and all that they are told of, options.total too, is in its memory.
#pragma once

#include "tally/cpu/scans.hpp"
#include "tally/known_elements.hpp"
#include "tally/rows.hpp"
#include "tally/where.hpp"

namespace tally {
namespace detail {

template <class T>
scan_options<counts_as<T>> known_options(scan_options<T> const& options) {
  scan_options<counts_as<T>> known{.reverse = options.reverse, .nan = options.nan};
  if (options.init) known.init = counts_as<T>(*options.init);
  known.total = reinterpret_cast<counts_as<T>*>(options.total);
  return known;
}

// Whether scans by Op from Ts to Tos are of elements as Tally knows them; else Op is asked whether
// it takes them as they are.
template <class Op, class T, class To>
constexpr bool scans_known() {
  if constexpr (!knows_elements<Op, T>)
    if constexpr (!aggregate<Op> && !requires(Op op) { op.template scanning<T, To>(); })
      require_operator<Op, T, To>();
  return knows_elements<Op, T>;
}

template <class Where, readable R, contiguous Out, class Op>
void scan(char const* call, Where& where, R const& in, Out& out, Op const& op,
          scan_options<value_of<Out>> const& options, bool exclusive) {
  auto const to = span_of(call, "out", out);
  settled_memory<element_of<R>, value_of<Out>> const during;
  if constexpr (scans_known<Op, element_of<R>, value_of<Out>>()) {
    calls_on<scans_on, Where>::run(where, known_elements(call, in), elements_in(to), op,
                                   known_options(options), exclusive);
  } else {
    calls_on<scans_on, Where>::run(where, in, to, op, options, exclusive);
  }
}
template <class Where, class T, class To, class Op>
void scan(char const* call, Where& where, rows<T> const& in, rows<To> const& out, Op const& op,
          scan_options<To> const& options, bool exclusive) {
  settled_memory<std::remove_const_t<T>, To> const during;
  if constexpr (scans_known<Op, std::remove_const_t<T>, To>()) {
    rows<counts_as<To>> const to(reinterpret_cast<counts_as<To>*>(out.data), out);
    calls_on<scans_on, Where>::run(where, known_elements(call, in), to, op, known_options(options),
                                   exclusive);
  } else {
    calls_on<scans_on, Where>::run(where, rows<std::remove_const_t<T> const>(in.data, in), out, op,
                                   options, exclusive);
  }
}

// The type of what is written to an array, or to rows.
template <class Out>
struct scanned {
  using type = value_of<Out>;
};
template <class Out>
  requires is_rows<std::remove_reference_t<Out>>
struct scanned<Out> {
  using type = typename std::remove_reference_t<Out>::element;
};
template <class Out>
using scanned_to = typename scanned<Out>::type;
template <class R, class Out>
concept scannable =
    (readable<R> && contiguous<Out>) || (is_rows<R> && is_rows<std::remove_reference_t<Out>>);

}  // namespace detail

// out[i] = in[0] op ... op in[i]. `in` and `op` are as for reduce; `out` may be `in`. A floating
// sum{} gives each prefix exactly, rounded once; integers are computed in out's type.
//
// Of rows (rows.hpp) each by itself, to one of `out`, which has as many for as many elements, and
// as many results as its row has elements: each has a place of its own, where no element is, or all
// are where their elements are. total[r] takes the result over row r. On cores elements that are
// apart take memory of their own, a row a thread.
template <execution Where, class R, class Out, class Op>
  requires detail::scannable<R, Out>
void inclusive_scan(Where&& where, R const& in, Out&& out, Op const& op,
                    scan_options<detail::scanned_to<Out>> const& options = {}) {
  detail::scan("inclusive_scan", where, in, out, op, options, false);
}

// out[i] = init op in[0] op ... op in[i - 1]; without init, the operator's identity. An operator
// that has none needs init.
template <execution Where, class R, class Out, class Op>
  requires detail::scannable<R, Out>
void exclusive_scan(Where&& where, R const& in, Out&& out, Op const& op,
                    scan_options<detail::scanned_to<Out>> const& options = {}) {
  detail::scan("exclusive_scan", where, in, out, op, options, true);
}

}  // namespace tally
