// SPDX-License-Identifier: Apache-2.0
//
// Prefix scans: each output is the reduction of all elements up to it. For operators of one's own,
// <tally/cpu_operators.hpp>, which tally.hpp brings, is to be included, too. On a gpu they are
// asynchronous, and all that they are told of, options.total too, is in its memory.
#pragma once

#include "tally/cpu/scans.hpp"
#include "tally/known_elements.hpp"
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

template <class Where, readable R, contiguous Out, class Op>
void scan(char const* call, Where& where, R const& in, Out& out, Op const& op,
          scan_options<value_of<Out>> const& options, bool exclusive) {
  static_assert(runs_on<scans_on, Where>, "include <tally/gpu.hpp>, or <tally/automatic.hpp>");
  auto const to = span_of(call, "out", out);
  settled_memory<element_of<R>, value_of<Out>> const during;
  if constexpr (knows_elements<Op, element_of<R>>) {
    calls_on<scans_on, Where>::run(where, known_elements(call, in), elements_in(to), op,
                                   known_options(options), exclusive);
  } else {
    using T = element_of<R>;
    using To = value_of<Out>;
    if constexpr (!aggregate<Op> && !requires { op.template scanning<T, To>(); })
      require_operator<Op, T, To>();
    calls_on<scans_on, Where>::run(where, in, to, op, options, exclusive);
  }
}

}  // namespace detail

// out[i] = in[0] op ... op in[i]. `in` and `op` are as for reduce; `out` may be `in`. A floating
// sum{} gives each prefix exactly, rounded once; integers are computed in out's type.
template <execution Where, detail::readable R, detail::contiguous Out, class Op>
void inclusive_scan(Where&& where, R const& in, Out&& out, Op const& op,
                    scan_options<std::type_identity_t<detail::value_of<Out>>> const& options = {}) {
  detail::scan("inclusive_scan", where, in, out, op, options, false);
}

// out[i] = init op in[0] op ... op in[i - 1]; without init, the operator's identity. An operator
// that has none needs init.
template <execution Where, detail::readable R, detail::contiguous Out, class Op>
void exclusive_scan(Where&& where, R const& in, Out&& out, Op const& op,
                    scan_options<std::type_identity_t<detail::value_of<Out>>> const& options = {}) {
  detail::scan("exclusive_scan", where, in, out, op, options, true);
}

}  // namespace tally
