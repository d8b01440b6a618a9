// SPDX-License-Identifier: Apache-2.0
//
// Prefix scans: each output is the reduction of all elements up to it. For operators of one's own,
// <tally/cpu_operators.hpp>, which tally.hpp brings, is to be included, too. On a gpu they are
// asynchronous, and all that they are told of, options.total too, is in its memory.
#pragma once

#include "tally/cpu/scans.hpp"
#include "tally/where.hpp"

namespace tally {

// out[i] = in[0] op ... op in[i]. `in` and `op` are as for reduce; `out` may be `in`. A floating
// sum{} gives each prefix exactly, rounded once; integers are computed in out's type.
template <execution Where, detail::readable R, detail::contiguous Out, class Op>
void inclusive_scan(Where&& where, R const& in, Out&& out, Op const& op,
                    scan_options<std::type_identity_t<detail::value_of<Out>>> const& options = {}) {
  static_assert(detail::runs_on<detail::scans_on, Where>,
                "include <tally/gpu.hpp>, or <tally/automatic.hpp>");
  detail::calls_on<detail::scans_on, Where>::run(where, in, detail::span_of(out), op, options,
                                                 false);
}

// out[i] = init op in[0] op ... op in[i - 1]; without init, the operator's identity. An operator
// that has none needs init.
template <execution Where, detail::readable R, detail::contiguous Out, class Op>
void exclusive_scan(Where&& where, R const& in, Out&& out, Op const& op,
                    scan_options<std::type_identity_t<detail::value_of<Out>>> const& options = {}) {
  static_assert(detail::runs_on<detail::scans_on, Where>,
                "include <tally/gpu.hpp>, or <tally/automatic.hpp>");
  detail::calls_on<detail::scans_on, Where>::run(where, in, detail::span_of(out), op, options,
                                                 true);
}

}  // namespace tally
