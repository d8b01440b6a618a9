// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tally::cli {

// The candidate that is the fewest typing errors away from `word`: a letter too many, missing,
// wrong, or two swapped. The first of several; empty if there are no candidates.
std::string nearest(std::string_view word, std::vector<std::string> const& candidates);

}  // namespace tally::cli
