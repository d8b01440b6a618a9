// SPDX-License-Identifier: Apache-2.0
#include "tally/io/decimal_source.hpp"

#include <utility>

#include "formats.hpp"
#include "tally/error.hpp"

namespace tally::io {
namespace {

text_parts open_decimals(identified file, decimal_use use) {
  auto [input, what, options] = std::move(file).take();
  if (what != content::csv && what != content::text)
    throw error(input.name() + ": is no text, whose numbers --decimal reads");
  text_parts parts(std::move(input), rules_of(options, use), options.where);
  if (what == content::csv)
    begin_csv(parts, options, false);
  else
    parts.set_format({.words = true, .rows = {}});
  return parts;
}

}  // namespace

struct decimal_source::state {
  text_parts text;
  std::span<parsed_part const> parts = {};
};

decimal_source::decimal_source(identified file)
    : state_(std::make_unique<state>(state{open_decimals(std::move(file), decimal_use::each)})) {}
decimal_source::decimal_source(std::string const& path, open_options const& options)
    : decimal_source(identified(path, options)) {}
decimal_source::decimal_source(decimal_source&&) noexcept = default;
decimal_source::~decimal_source() = default;

decimals const* decimal_source::next() {
  auto& [text, parts] = *state_;
  parts = parts.empty() ? parts : parts.subspan(1);
  if (parts.empty()) parts = text.next();
  return parts.empty() ? nullptr : &parts.front().columns[0].each();
}

std::uint64_t decimal_source::bytes_read() const { return state_->text.bytes_read(); }
std::string const& decimal_source::row_name() const { return state_->text.rows().row_name; }

decimal_total sum_decimals(std::string const& path, open_options const& options) {
  auto parts = open_decimals(identified(path, options), decimal_use::sum);
  decimal_total total;
  for (auto some = parts.next(); !some.empty(); some = parts.next()) {
    for (auto const& part : some) {
      auto const& column = part.columns[0];
      total.sum.add(column.sum());
      total.count += column.size();
      total.missing += column.facts().missing;
    }
  }
  total.bytes_read = parts.bytes_read();
  total.row_name = parts.rows().row_name;
  return total;
}

}  // namespace tally::io
