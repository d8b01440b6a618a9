// SPDX-License-Identifier: Apache-2.0
//
// Commands along an axis of an array (--axis), or of its segments (--segments): an answer for each
// of its rows.
#pragma once

#include "arguments.hpp"

namespace tally::cli {

// Whether an answer is asked for each row.
inline bool asks_for_rows(arguments const& options) { return options.axis || options.segments; }

void reduce_rows(arguments const& options);
void dot_of_rows(arguments const& options);
void count_rows(arguments const& options);
void scan_rows(arguments const& options);
void top_k_of_rows(arguments const& options);
void quantiles_of_rows(arguments const& options);

}  // namespace tally::cli
