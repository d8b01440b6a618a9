// SPDX-License-Identifier: Apache-2.0
//
// Which columns of a CSV file are read: what its first two rows and the options say.
#include <algorithm>
#include <cctype>
#include <utility>

#include "formats.hpp"
#include "number.hpp"
#include "tally/error.hpp"

namespace tally::io {
namespace {

using row = std::vector<std::string>;

bool is_number(std::string_view text) {
  std::byte value[sizeof(double)];
  return parse_number(text, dtype::float64, value) == parsed::number;
}

bool is_digits(std::string_view text) { return text.find_first_not_of("0123456789") == text.npos; }

// A date, or a time with seconds, whatever follows it: 2024-01-31T23:59Z, 31.12.24, 1-Jan-2024.
bool is_date(std::string_view text) {
  auto const first = text.find_first_of("-/.:");
  auto const last = first == text.npos ? first : text.find(text[first], first + 1);
  if (first == 0 || last == text.npos) return false;
  auto const middle = text.substr(first + 1, last - first - 1), rest = text.substr(last + 1);
  auto const end = std::min(rest.find_first_not_of("0123456789"), rest.size());
  auto const is_letter = [](unsigned char c) { return std::isalpha(c) != 0; };
  bool const month = middle.size() == 3 && std::ranges::all_of(middle, is_letter);
  return is_digits(text.substr(0, first)) && (month || (!middle.empty() && is_digits(middle))) &&
         end > 0 &&
         (end == rest.size() ||
          std::string_view(" T.+Z").find(rest[end]) != std::string_view::npos);
}

bool has_letter(std::string_view text) {
  return std::ranges::any_of(
      text, [](unsigned char c) { return std::isalpha(c) || c == '_' || c >= 0x80; });
}

// What no name of a column is.
bool is_other(std::string const& text, column_rules const& rules) {
  return rules.is_missing(text) || is_number(text);
}

// Why it may be data, unless somebody names columns so; empty if it is names.
std::string why_data(row const& first, column_rules const& rules) {
  auto const is_missing = [&](std::string const& text) { return rules.is_missing(text); };
  auto const is_value = [&](std::string const& text) { return is_other(text, rules); };
  if (std::ranges::all_of(first, is_missing))
    return "all of the first row says that there is no number";
  if (std::ranges::all_of(first, is_value)) return "all of the first row are numbers";
  if (std::ranges::none_of(first, has_letter)) return "the first row has no letter";
  if (is_date(first[0])) return "the first row begins with a date, " + quoted(first[0]);
  return {};
}

// The first two rows.
std::pair<row_taken, row_taken> first_rows(text_parts& parts, char delimiter) {
  for (auto size = std::size_t(1) << 16;; size *= 2) {
    auto const text = parts.peek(size);
    bool const last = text.size() < size;
    auto first = take_row(text, 0, delimiter, last);
    auto second = first.cut_off ? row_taken{} : take_row(text, first.end, delimiter, last);
    for (auto const& taken : {first, second})
      if (taken.wrong) parts.fail(taken.wrong->at, taken.wrong->what);
    if (!first.cut_off && !second.cut_off) return {std::move(first), std::move(second)};
    if (size > longest_row)
      parts.fail(first.end, "no row is longer than " + std::to_string(longest_row) +
                                " bytes: " + quoted(text.substr(first.end, 1000)));
  }
}

bool has_header(text_parts const& parts, row const& first, open_options const& options) {
  if (options.header) return *options.header;
  if (auto const why = why_data(first, parts.rules()); !why.empty())
    throw error(parts.name() + ": " + why +
                ": --header says that they are names, --no-header that they are data");
  return true;
}

}  // namespace

bool has_names(std::string_view beginning, column_rules const& rules) {
  auto const first = take_row(without_mark(beginning), 0, ',', true);
  if (first.wrong || first.fields.size() < 2) return false;
  auto const is_name = [](std::string const& text) {
    auto const c = (unsigned char)(text.empty() ? 0 : text[0]);
    return std::isalpha(c) || c == '_' || c >= 0x80;
  };
  auto const is_value = [&](std::string const& text) { return is_other(text, rules); };
  return std::ranges::all_of(first.fields,
                             [&](auto const& f) { return is_name(f) || is_value(f); }) &&
         !std::ranges::all_of(first.fields, is_value);
}

namespace {

void begin_csv(text_parts& parts, open_options const& options, bool several) {
  auto const& file = parts.name();
  bool const tabs = ends_in(without_compression(file), ".tsv");
  row_format format;
  format.delimiter = options.delimiter.value_or(tabs ? '\t' : ',');
  auto [first, second] = first_rows(parts, format.delimiter);
  auto names = std::move(first.fields);
  if (names.empty()) throw error(file + ": has no rows");
  auto const json = foreign_text(file, names[0]);
  auto const hint = !json.empty()       ? "; it " + json
                    : names.size() == 1 ? hint_at_delimiter(names[0])
                                        : "";
  bool const header = has_header(parts, names, options);
  if (header && second.fields.empty()) throw error(file + ": has a header and no rows" + hint);
  format.width = format.header_width = names.size();
  // R, and pandas with index_label=False, write the names of rows in front, and no name over them.
  bool const row_names = header && second.fields.size() == names.size() + 1;
  if (row_names && second.fields.back().empty())
    parts.fail(first.end,
               "fields: " + std::to_string(second.fields.size()) +
                   ", the last of them empty, in the first row: " + std::to_string(names.size()));
  format.width += row_names;
  if (row_names) format.row_name = quoted(second.fields.front());
  if (header)
    parts.take(first.end);
  else
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = std::to_string(i + 1);
  format.several = several && names.size() > 1;
  if (several) {
    for (std::size_t i = 0; i < names.size(); ++i) format.wanted.push_back(i + row_names);
    format.names = std::move(names);
  } else {
    auto const index = choose(file, "column", names, options.column, hint);
    format.wanted = {index + row_names};
    format.names = {names[index]};
  }
  parts.set_format({.words = false, .rows = std::move(format)});
}

}  // namespace

text_parts parts_of(opened file, decimal_use decimals, bool several) {
  auto const& options = file.options;
  text_parts parts(std::move(file.input), {options.type, options.missing, decimals}, options.where);
  if (file.what == content::csv)
    begin_csv(parts, options, several);
  else
    parts.set_format({.words = true, .rows = {}});
  return parts;
}

std::unique_ptr<source> open_text(opened file) {
  auto const type = file.options.type;
  return std::make_unique<parsed_source>(parts_of(std::move(file), decimal_use::none), type);
}

}  // namespace tally::io
