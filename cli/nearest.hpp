// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tally::cli {

// "; did you mean X?" of the candidate that other programs call `word`, or that is the fewest
// typing errors away from it: a letter too many, missing, wrong, or two swapped. If that is more
// than two, or half of the letters: `otherwise`.
std::string did_you_mean(std::string_view word, std::vector<std::string> const& candidates,
                         std::string_view otherwise = "");

}  // namespace tally::cli
