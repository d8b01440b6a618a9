// SPDX-License-Identifier: Apache-2.0
#include "csv_fields.hpp"

#include <algorithm>
#include <utility>

#include "number.hpp"
#include "tally/error.hpp"

namespace tally::io {

csv_fields::csv_fields(reader input) : input_(std::move(input)) {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  if (input_.peek(mark.size()) == mark) input_.take(mark.size());
}

void csv_fields::fail(std::string const& problem) const {
  throw error(input_.name() + ": line " + std::to_string(line_) + ": " + problem);
}

// Whether the stream goes on to the i-th unread byte, which is then in unread().
bool csv_fields::at(std::size_t i) {
  while (input_.unread().size() <= i) {
    if (input_.unread().size() > longest_token)
      fail("a field is longer than " + std::to_string(longest_token) +
           " bytes: " + quoted(input_.unread()));
    if (!input_.more()) return false;
  }
  return true;
}

bool csv_fields::skip_empty_lines() {
  for (;;) {
    if (!at(0)) return false;
    std::size_t const ending = input_.unread()[0] == '\r' && at(1) ? 1 : 0;
    if (input_.unread()[ending] != '\n') return true;
    input_.take(ending + 1);
    ++line_;
  }
}

// The index of the comma or line end at or after `from`; of the end, if the file ends there.
std::size_t csv_fields::find_end(std::size_t from) {
  while (at(from)) {
    auto const text = input_.unread();
    auto const end =
        std::find_if(text.begin() + from, text.end(), [](char c) { return c == ',' || c == '\n'; });
    if (end != text.end()) return end - text.begin();
    from = text.size();
  }
  return from;
}

// Puts what the quotes hold into unquoted_; returns the index of the closing one.
std::size_t csv_fields::find_closing_quote() {
  unquoted_.clear();
  for (std::size_t i = 1; at(i); ++i) {
    char const c = input_.unread()[i];
    if (c == '"') {
      if (!at(i + 1) || input_.unread()[i + 1] != '"') return i;
      ++i;
    }
    if (c == '\n') ++lines_in_field_;
    unquoted_ += c;
  }
  fail("a quoted field has no end: " + quoted(input_.unread()));
}

std::optional<csv_fields::field> csv_fields::next() {
  line_ += std::exchange(lines_in_field_, 0);
  if (row_begins_ && !skip_empty_lines()) return std::nullopt;
  bool const in_quotes = at(0) && input_.unread()[0] == '"';
  auto const quote = in_quotes ? find_closing_quote() : 0;
  auto const end = find_end(in_quotes ? quote + 1 : 0);
  bool const comma = at(end) && input_.unread()[end] == ',';
  bool const line_end = !comma && end < input_.unread().size();
  auto text = input_.unread().substr(0, end);
  if (!comma && text.ends_with('\r')) text.remove_suffix(1);
  if (in_quotes && text.size() > quote + 1)
    fail("text follows the closing quote of " + quoted(text));
  input_.take(end + (comma || line_end));
  lines_in_field_ += line_end;
  row_begins_ = !comma;
  return field{in_quotes ? std::string_view(unquoted_) : text, !comma};
}

}  // namespace tally::io
