// SPDX-License-Identifier: Apache-2.0
//
// Answers in float64 for integers: whether one that reads as an integer is the exact one.
#pragma once

#include "reduction.hpp"

namespace tally::cli {

// Whether `value`, a mean, a variance, a standard deviation or a norm of `count` integers, as the
// library's aggregate of that name gives it, is beyond 2^53, where float64 has no fractions, and
// not what it would be in full. False of other aggregates.
bool is_rounded(reduction_settings const& settings, std::string_view aggregate,
                any_number const& value, ask const& others, std::uint64_t count);

// Whether it is a float64 beyond 2^53.
bool is_large(any_number const& value);
// Whether one that is large is not an integer divided by another.
bool is_rounded(any_number const& value, io::decimal_sum const& exact, std::uint64_t divisor);

}  // namespace tally::cli
