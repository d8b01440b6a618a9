// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "reader.hpp"

namespace tally::io {

// The fields of a comma-separated file (RFC 4180), one after the other: fields in quotes may hold
// commas, line ends and doubled quotes; lines end in LF, CRLF or the end of the file; empty lines
// and a byte-order mark are skipped.
class csv_fields {
 public:
  explicit csv_fields(reader input);

  struct field {
    std::string_view text;  // without its quotes; valid until the next call
    bool last;              // of its row
  };
  // Nothing at the end of the file.
  std::optional<field> next();

  // Where the field that next() returned last begins, counted from 1.
  std::uint64_t line() const { return line_; }
  reader const& input() const { return input_; }
  [[noreturn]] void fail(std::string const& problem) const;  // "FILE: line N: problem"

 private:
  bool at(std::size_t i);
  bool skip_empty_lines();
  std::size_t find_end(std::size_t from);
  std::size_t find_closing_quote();

  reader input_;
  std::string unquoted_;
  std::uint64_t line_ = 1, lines_in_field_ = 0;
  bool row_begins_ = true;
};

}  // namespace tally::io
