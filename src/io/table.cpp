// SPDX-License-Identifier: Apache-2.0
#include "tally/io/table.hpp"

#include <utility>

#include "formats.hpp"
#include "tally/error.hpp"

namespace tally::io {

struct table::state {
  text_parts text;
  std::span<parsed_part const> parts = {};
  std::vector<text_facts> facts = {};
  std::vector<char> is_out = {};
  std::uint64_t rows = 0;
};

table::table(identified file, bool in_decimal) {
  auto [input, what, options] = std::move(file).take();
  if (what != content::csv) throw error(input.name() + ": is not a CSV file");
  state_ = std::make_unique<state>(state{
      .text = text_parts(std::move(input),
                         rules_of(options, in_decimal ? decimal_use::each : decimal_use::none),
                         options.where)});
  begin_csv(state_->text, options, true);
  state_->facts.resize(names().size(), {.row_name = state_->text.rows().row_name});
  state_->is_out.resize(names().size());
}
table::table(std::string const& path, open_options const& options)
    : table(identified(path, options)) {}
table::table(table&&) noexcept = default;
table::~table() = default;

std::vector<std::string> const& table::names() const { return state_->text.rows().names; }

bool table::next() {
  auto& s = *state_;
  s.parts = s.parts.empty() ? s.parts : s.parts.subspan(1);
  if (s.parts.empty()) s.parts = s.text.next();
  if (s.parts.empty()) return false;
  auto const& part = s.parts.front();
  s.rows += part.rows;
  for (std::size_t i = 0; i < s.facts.size(); ++i) {
    s.is_out[i] |= part.misfits[i].data() != nullptr;
    if (!s.is_out[i]) s.facts[i].add(part.columns[i].facts());
  }
  return true;
}

std::optional<table::run> table::column(std::size_t i) const {
  if (state_->is_out[i]) return std::nullopt;
  auto const& found = state_->parts.front().columns[i];
  return run{found.type(), found.bytes(), found.negative_zeros(), found.missing()};
}

decimals const* table::in_decimal(std::size_t i) const {
  return state_->is_out[i] ? nullptr : &state_->parts.front().columns[i].each();
}

std::optional<table::misfit> table::misfit_of(std::size_t i) const {
  auto const& found = state_->text.misfit_of(i);
  if (!found) return std::nullopt;
  return misfit{found->line, found->text};
}
text_facts const& table::facts(std::size_t i) const { return state_->facts[i]; }
std::uint64_t table::rows() const { return state_->rows; }
std::uint64_t table::bytes_read() const { return state_->text.bytes_read(); }
std::optional<std::uint64_t> table::file_bytes() const { return state_->text.file_bytes(); }

}  // namespace tally::io
