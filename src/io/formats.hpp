// SPDX-License-Identifier: Apache-2.0
//
// The kinds of input that tally::io::open knows beside raw arrays (array.hpp).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "reader.hpp"
#include "tally/io/source.hpp"
#include "text_parts.hpp"

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

inline constexpr std::string_view npy_magic = "\x93NUMPY", zip_magic = "PK\x03\x04",
                                  empty_zip_magic = "PK\x05\x06";

std::unique_ptr<source> open_npy(reader input, open_options const& options);
std::unique_ptr<source> open_npz(reader input, open_options options);
std::unique_ptr<source> open_csv(reader input, open_options const& options);
std::unique_ptr<source> open_text(reader input, open_options const& options);

// Whether a beginning is text: UTF-8 without control characters but white space. Raw data hardly
// ever is.
bool looks_like_text(std::string_view beginning);
// Whether it nearly does: it is text but for few odd bytes, or in UTF-16 behind its mark.
bool nearly_looks_like_text(std::string_view beginning);
// Whether the first line of a text is names between commas, so that it can be read as CSV alone:
// each begins with a letter, and is neither a number nor a word for none.
bool has_names(std::string_view beginning, column_rules const& rules);

// Behind an error of a file that could be raw data of options.type.
inline std::string raw_hint(open_options const& options) {
  return options.type ? "; --raw says that it is raw data" : "";
}

// How fields are read: as what type, which words mean no number, and whether they are kept in
// decimal instead.
column_rules rules_of(open_options const& options, decimal_use decimals = decimal_use::none);

// Reads the first row, and the second where there is one, for which columns there are: those that
// `options` ask for, or with `several` all. Throws where that cannot be.
void begin_csv(text_parts& parts, open_options const& options, bool several);

}  // namespace tally::io
