// SPDX-License-Identifier: Apache-2.0
//
// The kinds of input that tally::io::open knows beside raw arrays (array.hpp).
#pragma once

#include <memory>
#include <string_view>

#include "reader.hpp"
#include "tally/io/source.hpp"

namespace tally::io {

inline constexpr std::string_view npy_magic = "\x93NUMPY";

std::unique_ptr<source> open_npy(reader input, open_options const& options);
std::unique_ptr<source> open_csv(reader input, open_options const& options);
// float64 numbers separated by whitespace.
std::unique_ptr<source> open_text(reader input);

}  // namespace tally::io
