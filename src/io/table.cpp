// SPDX-License-Identifier: Apache-2.0
#include "tally/io/table.hpp"

#include <utility>

#include "formats.hpp"
#include "tally/error.hpp"

namespace tally::io {

struct table::state {
  text_parts text;
  parsed_part const* part = nullptr;
  std::vector<text_facts> facts = {};
  std::vector<char> is_out = {};
  std::uint64_t rows = 0;
};

table::table(identified file, bool in_decimal) {
  auto found = std::move(file).take();
  if (found.what != content::csv) throw error(found.input.name() + ": is not a CSV file");
  auto const decimals = in_decimal ? decimal_use::each : decimal_use::none;
  state_ = std::make_unique<state>(state{.text = parts_of(std::move(found), decimals, true)});
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
  s.part = s.text.next();
  if (!s.part) return false;
  s.rows += s.part->rows;
  for (std::size_t i = 0; i < s.facts.size(); ++i) {
    s.is_out[i] |= s.part->misfits[i].data() != nullptr;
    if (!s.is_out[i]) s.facts[i].add(s.part->columns[i].facts());
  }
  return true;
}

std::optional<table::run> table::column(std::size_t i) const {
  if (state_->is_out[i]) return std::nullopt;
  auto const& found = state_->part->columns[i];
  return run{found.type(), found.bytes(), found.negative_zeros(), found.missing()};
}

decimals const* table::in_decimal(std::size_t i) const {
  return state_->is_out[i] ? nullptr : &state_->part->columns[i].each();
}

std::optional<misfit> const& table::misfit_of(std::size_t i) const {
  return state_->text.misfit_of(i);
}
text_facts const& table::facts(std::size_t i) const { return state_->facts[i]; }
std::uint64_t table::rows() const { return state_->rows; }
std::uint64_t table::bytes_read() const { return state_->text.bytes_read(); }
std::optional<std::uint64_t> table::file_bytes() const { return state_->text.file_bytes(); }

}  // namespace tally::io
