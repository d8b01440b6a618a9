// SPDX-License-Identifier: Apache-2.0
//
// A scan whose array ranks share out.
#pragma once

#include <utility>

#include "scan.hpp"

namespace tally::cli {

// How often an integer of `type`, which has 64 bits, wraps around to be this value, and what it is
// then.
std::pair<std::int64_t, any_number> wrapped(__int128 value, dtype type);

// Adds to the initial value of a scan of integers what comes before this rank's slice, in reverse
// behind it, so that the slice's sums are those in the whole array. All ranks call it.
void add_before(arguments const& options, any_array const& slice, scan_settings& to);

// What is told of the array's last result, by the last rank that has one; `mine` is what this one
// tells of its own. All ranks call it.
json last_of_ranks(arguments const& options, json const& mine);

}  // namespace tally::cli
