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

// What some write in front of text in UTF-8.
inline constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
inline std::string_view without_mark(std::string_view text) {
  return text.substr(text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0);
}

bool equal_ignoring_case(std::string_view text, std::string_view lower);

// All of `text` as a whole number, as options and names say it.
std::optional<std::size_t> to_number(std::string_view text);

// `text` in quotes for a one-line message: bytes that are not printable ASCII as \xNN, a long text
// cut.
std::string quoted(std::string_view text);

}  // namespace tally::io
