// SPDX-License-Identifier: Apache-2.0
//
// A scan whose array ranks share out.
#pragma once

#include <utility>

#include "scan.hpp"

namespace tally::cli {

// How often a 64-bit integer has wrapped to be it, modulo 2^64, and that.
std::pair<std::int64_t, any_number> wrapped(__int128 value, dtype type);

// Sums of a slice of integers are those of all if what comes before it, in reverse behind it, is
// there from the start on.
void add_before(arguments const& options, any_array const& slice, scan_settings& to);

// What is told of the last result, of the last rank that has one; `mine` of this one's.
json last_of_ranks(arguments const& options, json const& mine);

}  // namespace tally::cli
