// SPDX-License-Identifier: Apache-2.0
//
// Numbers from text: exact, and the same in every locale.
#pragma once

#include <cstddef>
#include <string_view>

#include "tally/dtype.hpp"

namespace tally::io {

enum class parsed : unsigned char { number, not_a_number, out_of_range };

// Reads all of `text` as a number of `type` into `value`, which has room for one. Floating types
// are rounded once, to nearest; too large is infinite, too small zero. They also take inf, infinity
// and nan, bool takes true and false, in any case. Only integers can be out of range.
parsed parse_number(std::string_view text, dtype type, std::byte* value);

}  // namespace tally::io
