// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>

#include "tally/dtype.hpp"

namespace tally::detail {

// How a scan of elements of one type, In, starts: a running_scan<In, Out> by the type of its
// outputs, or null where there is none.
struct scan_row {
  char const* name = nullptr;  // null: nothing here can be scanned
  dtype elements = {};
  std::array<void* (*)(), dtype_names.size()> start = {};
};

std::span<scan_row const> scan_rows();

}  // namespace tally::detail
