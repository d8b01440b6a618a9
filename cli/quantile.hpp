// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "input.hpp"
#include "number.hpp"
#include "report.hpp"

namespace tally::cli {

// What there is to know of the quantiles of an array.
struct quantiles_found {
  std::vector<number> values;  // of each -q; none: no element counts
  std::uint64_t nan_count;
  ran_on ran = {};
  bool rounded = false;  // one of them, between two integers or one itself
};

// The options of quantile and median.
std::vector<fraction> places_of(arguments const& options);
quantile_options quantile_options_of(arguments const& options);
// Whether the value at a place of integers is not what it is in full: twice what lies in the middle
// is the sum of the two there, and linear takes so many parts of one, and of the other.
bool is_rounded_at(fraction place, arguments const& options, any_array const& x,
                   any_number const& value);
// What their JSON has of their values.
json quantile_keys(arguments const& options, json values, json bits);

// Of all of `in`, copied to the GPU that --device names. Nothing, and no element read, if that has
// no memory for them.
std::optional<quantiles_found> quantiles_on_gpu(input& in, arguments const& options);

}  // namespace tally::cli
