// SPDX-License-Identifier: Apache-2.0
//
// The values of options, from their text. All throw usage_error naming the option and its value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "tally/dynamic.hpp"

namespace tally::cli {

// 1000, or 1e3, or 1k; M, G and T are a million and so on.
std::uint64_t whole_number(std::string const& option, std::string const& text,
                           std::uint64_t most = std::numeric_limits<std::uint64_t>::max(),
                           std::uint64_t least = 0);
// Small numbers with a sign; and whole ones, separated by commas.
std::int64_t signed_number(std::string const& option, std::string const& text);
std::vector<std::uint64_t> whole_numbers(std::string const& option, std::string const& text);
// Likewise with a sign, of any size: a minus and its digits; nothing if it is no integer.
std::optional<std::string> integer_text(std::string const& text);
// A finite or infinite number, or NaN.
double real_number(std::string const& option, std::string const& text);
// Places between 0 and 1, separated by commas: decimals, percentages or quotients. A decimal is
// what is written, not a double next to it.
std::vector<place> places(std::string const& option, std::string const& text);
// What io::parse_number does, for a number of the type that `value` has.
void parse_number(std::string const& option, std::string const& text, any_number& value);
// One of `choices`.
std::string choice(std::string const& option, std::string const& text,
                   std::vector<std::string> const& choices);
// One character that can separate fields; tab has a name, and \t is one.
char separator(std::string const& option, std::string const& text);
dtype type_named(std::string const& option, std::string const& text);

// What --device names: nothing for auto and cpu, the numbers of GPUs, -1 for any. Throws
// tally::error where there is none.
std::vector<int> gpus_named(std::string const& text);

}  // namespace tally::cli
