// SPDX-License-Identifier: Apache-2.0
//
// The values of options, from their text. All throw usage_error naming the option and its value.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "arguments.hpp"
#include "tally/dtype.hpp"

namespace tally::cli {

std::uint64_t whole_number(std::string const& option, std::string const& text,
                           std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
// A finite or infinite number, or NaN.
double real_number(std::string const& option, std::string const& text);
// A number of type T: of a floating type, a double rounded to it.
template <element T>
T number_of(std::string const& option, std::string const& text);
dtype type_named(std::string const& option, std::string const& text);

// Throws unless `text` is auto, cpu, gpu, gpu:N or gpu:N-M; tally::error for the last three.
void check_device(std::string const& text);

}  // namespace tally::cli
