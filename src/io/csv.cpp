// SPDX-License-Identifier: Apache-2.0
//
// One column of a CSV file.
#include <algorithm>
#include <charconv>
#include <utility>

#include "csv_fields.hpp"
#include "formats.hpp"
#include "number.hpp"
#include "tally/cpu/float_environment.hpp"
#include "tally/error.hpp"

namespace tally::io {
namespace {

using row = std::vector<std::string>;

std::string_view trim(std::string_view text) {
  auto const first = std::min(text.find_first_not_of(" \t"), text.size());
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool is_missing(std::string_view text) {
  return text.empty() || equal_ignoring_case(text, "na") || equal_ignoring_case(text, "nan");
}

bool is_number(std::string_view text) {
  std::byte value[sizeof(double)];
  return !is_missing(text) && parse_number(text, dtype::float64, value) == parsed::number;
}

std::optional<std::size_t> to_index(std::string_view text) {
  std::size_t index;
  auto const [end, code] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return index;
}

std::string list(row const& names) {
  constexpr std::size_t most = 30;
  std::string text;
  for (auto const& name : std::span(names).first(std::min(most, names.size())))
    text += (text.empty() ? "" : ", ") + quoted(name);
  return text + (names.size() > most ? ", ..." : "");
}

// Whether a first row whose cell `index` is wanted is data, not names: the cell is a number, or it
// is missing and another is a number.
bool is_data(row const& first, std::size_t index) {
  return is_number(first[index]) ||
         (is_missing(first[index]) && std::ranges::any_of(first, is_number));
}

struct choice {
  std::size_t index;
  bool header;
};

choice choose(std::string const& file, row const& first, std::optional<std::string> const& column) {
  if (!column && first.size() > 1)
    throw error(file + ": which column? --column takes one of " + list(first) +
                ", or its number from 0");
  auto const wanted = column.value_or("0");
  auto const index = to_index(wanted);
  bool const exists = index && *index < first.size();
  if (exists && is_data(first, *index)) return {*index, false};
  auto const found = std::ranges::find(first, wanted);
  if (found == first.end() && exists) return {*index, true};
  if (found == first.end())
    throw error(file + ": no column " + quoted(wanted) + " among " + list(first));
  if (std::find(found + 1, first.end(), wanted) != first.end())
    throw error(file + ": two columns are named " + quoted(wanted) + "; give a number from 0");
  return {std::size_t(found - first.begin()), true};
}

class csv_source final : public source {
 public:
  csv_source(reader input, open_options const& options) : fields_(std::move(input)) {
    type_ = options.type.value_or(dtype::float64);
    row first;
    while (auto field = fields_.next()) {
      first.emplace_back(trim(field->text));
      if (field->last) break;
    }
    auto const& file = fields_.input().name();
    if (first.empty()) throw error(file + ": has no rows");
    auto const [index, header] = choose(file, first, options.column);
    index_ = index;
    width_ = first.size();
    column_ = header ? first[index] : std::to_string(index);
    if (!header) first_value_ = first[index];
  }

  std::span<std::byte const> next(std::size_t most) override {
    detail::float_environment const standard;
    auto const size = size_of(type_);
    values_.resize(std::clamp(most, size, buffer_bytes) / size * size);
    std::size_t n = 0;
    if (first_value_ && !values_.empty()) {
      parse(*std::exchange(first_value_, std::nullopt), values_.data());
      n += size;
    }
    while (n < values_.size() && next_row(&values_[n])) n += size;
    total_ += n / size;
    bytes_read_ = fields_.input().taken();
    if (n < values_.size()) count_ = total_, shape_ = {total_};
    return std::span(values_).first(n);
  }

 private:
  bool next_row(std::byte* value) {
    std::size_t width = 0;
    for (bool last = false; !last; ++width) {
      auto const field = fields_.next();
      if (!field) return false;
      if (width == index_) parse(trim(field->text), value);
      last = field->last;
    }
    if (width != width_)
      fields_.fail("fields: " + std::to_string(width) +
                   ", in the first row: " + std::to_string(width_));
    return true;
  }

  void parse(std::string_view text, std::byte* value) {
    if (is_floating(type_) && is_missing(text)) return put_nan(type_, value);
    auto const result = parse_number(text, type_, value);
    if (result == parsed::number) return;
    fields_.fail(
        "column " + quoted(column_) + ": " + quoted(text) +
        (result == parsed::out_of_range ? " does not fit into " : " is not a number of type ") +
        std::string(name(type_)));
  }

  csv_fields fields_;
  std::size_t index_, width_;
  std::string column_;
  std::optional<std::string> first_value_;  // of a file without a header
  std::vector<std::byte> values_;
  std::uint64_t total_ = 0;
};

}  // namespace

std::unique_ptr<source> open_csv(reader input, open_options const& options) {
  return std::make_unique<csv_source>(std::move(input), options);
}

}  // namespace tally::io
