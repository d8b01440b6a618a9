// SPDX-License-Identifier: Apache-2.0
//
// Formats that are known and not read: what a file is, and what makes of it what is read.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tally::io {

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
