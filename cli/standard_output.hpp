// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace tally::cli {

// Thrown when nobody reads standard output any more: no error, but there is nothing left to do.
struct closed_pipe {};

// Writes all of `bytes`; throws closed_pipe, or tally::error for any other failure.
void write_standard_output(std::string_view bytes);

// Whether the file of this name, /dev/stdout say, is where standard output goes.
bool is_standard_output(std::string const& path);

}  // namespace tally::cli
