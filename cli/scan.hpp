// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "report.hpp"
#include "tally/dynamic.hpp"

namespace tally::cli {

// What a scan depends on beside the elements.
struct scan_settings {
  any_aggregate op;
  dtype type;  // of the results
  any_scan_options how;
  bool exclusive;
  std::int64_t init_wraps = 0;  // times 2^64 that how.init is less than what was asked for
};

// What is known when one has run.
struct scanned {
  std::uint64_t nan_count;  // if --json asks for it
  ran_on ran = {};
};

// The type of the results; throws usage_error for one that they cannot have.
dtype scan_type_of(arguments const& options, dtype in);

}  // namespace tally::cli
