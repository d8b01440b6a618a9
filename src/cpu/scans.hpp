// SPDX-License-Identifier: Apache-2.0
//
// For the sources that hold scans.
#pragma once

#include "each_type.hpp"
#include "tally/compiled.hpp"
#include "tally/cpu/implementations.hpp"
#include "tally/cpu/scan.hpp"

namespace tally::detail {

template <class Op, class In, class Out>
owner<running_scan<In, Out>> start_compiled_scan(Op const& op) {
  static_assert(held_scan<Op, In, Out>);
  using bound = decltype(op.template scanning<In, Out>());
  return make_owner<scan_of<bound>>(op.template scanning<In, Out>());
}

}  // namespace tally::detail

#define TALLY_SCAN(O, IN, OUT) \
  template owner<running_scan<IN, OUT>> start_compiled_scan<O, IN, OUT>(O const&);
