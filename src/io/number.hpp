// SPDX-License-Identifier: Apache-2.0
//
// What the text formats need beside parse_number.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "tally/dtype.hpp"
#include "tally/io/number.hpp"

namespace tally::io {

// Writes the quiet NaN of a floating `type`.
void put_nan(dtype type, std::byte* value);

bool equal_ignoring_case(std::string_view text, std::string_view lower);

// All of `text` as a whole number, as options and names say it.
std::optional<std::size_t> to_number(std::string_view text);

// `text` in quotes for a one-line message: bytes that are not printable ASCII as \xNN, a long text
// cut.
std::string quoted(std::string_view text);

}  // namespace tally::io
