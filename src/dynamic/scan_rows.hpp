// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>

#include "tally/cpu/scans.hpp"
#include "tally/dynamic.hpp"

namespace tally::detail {

// A scan of elements of one type, In, to results of one type, Out.
struct scan_functions {
  void* (*start)() = nullptr;  // a running_scan<In, Out>; null: there is no such scan
  void (*on_gpu)(gpu&, any_array const&, any_output const&, any_scan_options const&,
                 bool exclusive) = nullptr;  // null: there is no kernel
};

// The scans of elements of one type by an aggregate, by the type of their results.
struct scan_row {
  char const* name = nullptr;  // null: nothing here can be scanned
  dtype elements = {};
  std::array<scan_functions, dtype_names.size()> to = {};
};

std::span<scan_row const> scan_rows();

// The functions are null where there is no such scan.
scan_functions scan_of(any_aggregate const& op, dtype in, dtype out);
// Throws where it cannot start.
scan_functions required_scan(any_aggregate const& op, dtype in, dtype out);

// All but the total. Throws unless init is an Out.
template <class Out>
scan_options<Out> options_for(any_scan_options const& options) {
  scan_options<Out> how{.reverse = options.reverse, .nan = options.nan};
  if (!options.init) return how;
  if (options.init->type != dtype_of<Out>)
    throw error("scan: init is a " + std::string(name(options.init->type)) + ", out holds " +
                std::string(name(dtype_of<Out>)));
  how.init = options.init->as<Out>();
  return how;
}

}  // namespace tally::detail
