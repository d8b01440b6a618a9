// SPDX-License-Identifier: Apache-2.0
#include "tally/io/decimal_source.hpp"

#include <utility>

#include "formats.hpp"
#include "tally/error.hpp"

namespace tally::io {
namespace {

text_parts open_decimals(identified file, decimal_use use) {
  auto found = std::move(file).take();
  if (found.what != content::csv && found.what != content::text)
    throw error(found.input.name() + ": is no text, whose numbers --decimal reads");
  return parts_of(std::move(found), use);
}

}  // namespace

struct decimal_source::state {
  text_parts text;
};

decimal_source::decimal_source(identified file)
    : state_(std::make_unique<state>(state{open_decimals(std::move(file), decimal_use::each)})) {}
decimal_source::decimal_source(std::string const& path, open_options const& options)
    : decimal_source(identified(path, options)) {}
decimal_source::decimal_source(decimal_source&&) noexcept = default;
decimal_source::~decimal_source() = default;

decimals const* decimal_source::next() {
  auto const* const part = state_->text.next();
  return part ? &part->columns[0].each() : nullptr;
}

std::uint64_t decimal_source::bytes_read() const { return state_->text.bytes_read(); }
std::string const& decimal_source::row_name() const { return state_->text.rows().row_name; }

decimal_total sum_decimals(std::string const& path, open_options const& options) {
  auto parts = open_decimals(identified(path, options), decimal_use::sum);
  decimal_total total;
  while (auto const* const part = parts.next()) {
    auto const& column = part->columns[0];
    total.sum.add(column.sum());
    total.count += column.size();
    total.missing += column.facts().missing;
  }
  total.bytes_read = parts.bytes_read();
  total.row_name = parts.rows().row_name;
  return total;
}

}  // namespace tally::io
