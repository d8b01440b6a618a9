// SPDX-License-Identifier: Apache-2.0
//
// What a file is.
#pragma once

#include <string>

#include "reader.hpp"
#include "tally/io/source.hpp"

namespace tally::io {

enum class content : unsigned char { npy, npz, csv, text, raw };

// A file at the beginning of what it is, compressed or not.
struct opened {
  reader input;
  content what;
  open_options options;
};

// A name without .gz, .zst, .bz2 or .xz at its end.
std::string_view without_compression(std::string_view name);

}  // namespace tally::io
