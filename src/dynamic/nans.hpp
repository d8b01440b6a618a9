// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "tally/aggregate/zipped.hpp"
#include "tally/cpu/running.hpp"
#include "tally/where.hpp"

namespace tally::detail {

// How many of `count` elements were NaN, if what is known of them tells.
template <element T>
std::optional<std::uint64_t> nans_known(running<T> const& known, std::uint64_t count,
                                        nan_policy nan);

// How many elements are NaN.
template <element T>
std::uint64_t nans_in(cpu where, std::span<T const> x);

}  // namespace tally::detail
