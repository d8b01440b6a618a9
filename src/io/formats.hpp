// SPDX-License-Identifier: Apache-2.0
//
// The kinds of input that tally::io::open knows, and those that it tells apart only.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

struct array_layout {
  dtype type;
  bool swapped = false;  // the other byte order than this machine's
  bool fortran = false;
  std::optional<std::vector<std::uint64_t>> shape = {};  // absent: as far as the data goes
};

// The array that starts at the reader's next byte and ends where its file ends: mapped if it can
// be, else read in chunks, or whole before its first element is given, in Fortran's order. Throws
// if there are fewer or more bytes than the shape says; of a stream, at its end.
std::unique_ptr<source> open_array(reader input, array_layout layout);

// The number of elements of `shape`, unless their bytes need more than 63 bits.
std::optional<std::uint64_t> element_count(std::vector<std::uint64_t> const& shape, dtype type);

std::unique_ptr<source> open_npy(reader input, open_options const& options);
std::unique_ptr<source> open_npz(reader input, open_options options);
std::unique_ptr<source> open_text(opened file);

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

// The numbers of a text or a CSV file, which may be kept in decimal; of CSV those of the column
// that options ask for, or with `several` of all: the first row says which there are, and the
// second where there is one. Throws where that cannot be.
text_parts parts_of(opened file, decimal_use decimals, bool several = false);

// Which of the columns of a CSV file, or of the arrays of a .npz, `kind` says which: the one of the
// name that is wanted, or of its number from 1, or the only one; in quotes it is a name. Throws,
// with the file's name and what there is, where that is none, or two, as where a name of one is the
// number of another; `hint` then follows what one name alone is told with.
std::size_t choose(std::string const& file, std::string_view kind,
                   std::span<std::string const> names, std::optional<std::string> const& wanted,
                   std::string const& hint = {});

// Formats that are known and not read: what a file is, and what makes of it what is read.

// "is Parquet; duckdb -c ... makes CSV of it", for the file of this name ("-" is standard input)
// that begins so; empty if it is in no such format. Text may begin with letters that a format
// begins with, which then tells by the control characters that no text has.
std::string foreign_format(std::string const& path, std::string_view beginning);
// Of text but for some bytes of no character in UTF-8.
std::string told_odd_text(std::string const& path, std::string_view beginning);
// Likewise of a beginning that is text: JSON, XML.
std::string foreign_text(std::string const& path, std::string_view beginning);
// What a ZIP archive is, by the names of its files.
std::string foreign_archive(std::string const& path, std::span<std::string const> names);

// What text in UTF-16 or UTF-32 is, known by a mark in front or by the zeros of ASCII.
std::string foreign_encoding(std::string const& path, std::string_view beginning);

}  // namespace tally::io
