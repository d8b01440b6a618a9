// SPDX-License-Identifier: Apache-2.0
//
// Parts of a text become columns of numbers: of a CSV file a row at a time, of text separated by
// white space a word at a time.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "column_values.hpp"

namespace tally::io {

// A column of several is left out where a field is no number; a single one has to have numbers.
struct row_format {
  char delimiter = ',';
  std::size_t width = 1;            // fields in a row
  std::size_t header_width = 1;     // for messages
  std::vector<std::size_t> wanted;  // indices of fields, ascending
  std::vector<std::string> names;   // of these
  std::string row_name = {};        // text_facts::row_name
  bool several = false;
};

// What has been parsed of [from, end) of a text.
struct parsed_part {
  std::size_t from = 0, end = 0;
  std::vector<column_values> columns;
  std::uint64_t rows = 0;
  std::vector<std::string_view>
      misfits;  // of a column of several that is out: its first, else null
  struct problem {
    std::size_t at;  // in the text
    std::string what;
    std::string in_first_line = {};  // what is to be added there
  };
  std::optional<problem> wrong;
  column_rules const* rules = nullptr;

  void begin(std::size_t at, column_rules const& rules, std::size_t column_count);
};

// Rows that begin in [out.from, until); the last may go on beyond. One that is not whole is left,
// unless the text ends for good there (`last`).
void parse_rows(std::string_view text, std::size_t until, bool last, row_format const& format,
                parsed_part& out);
// Words in [out.from, until), separated by white space.
void parse_words(std::string_view text, std::size_t until, parsed_part& out);

// The first row that begins at `at` or behind; no fields if there is none.
struct row_taken {
  std::vector<std::string> fields;
  std::size_t end = 0;   // behind it
  bool cut_off = false;  // the text ends before it does
  std::optional<parsed_part::problem> wrong;
};
row_taken take_row(std::string_view text, std::size_t at, char delimiter, bool last);

// For messages: of the only field of a row, in which another delimiter may stand.
std::string hint_at_delimiter(std::string_view field);

// Behind the last line end of a text, or its last white space; 0 without one.
std::size_t end_of_lines(std::string_view text);
std::size_t end_of_words(std::string_view text);
// How many lines end in a text that comes in pieces: in LF, CR LF, or CR alone.
class line_counter {
 public:
  void add(std::string_view text);
  std::uint64_t lines() const { return lines_; }

 private:
  std::uint64_t lines_ = 0;
  char last_ = 0;
};

}  // namespace tally::io
