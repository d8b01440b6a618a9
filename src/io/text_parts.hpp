// SPDX-License-Identifier: Apache-2.0
//
// Text parsed on all cores: some MiB at a time, cut where lines or words end, each core a part.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reader.hpp"
#include "rows.hpp"
#include "tally/io/source.hpp"

namespace tally::io {

// A row that begins in one part may end in the next, in quotes. That shows where the first part is
// done, and the next is parsed again then, from the row's end on.
class text_parts {
 public:
  struct format {
    bool words;  // else rows
    row_format rows;
  };
  text_parts(reader input, column_rules rules, cpu where);

  // The next n bytes that have not been taken; fewer only at the end.
  std::string_view peek(std::size_t n);
  void take(std::size_t bytes);
  void set_format(format f);
  column_rules const& rules() const { return rules_; }
  row_format const& rows() const { return format_.rows; }

  // So that rewind() can go back to here: what is not in a mapped file goes into a temporary one.
  void keep();
  void rewind();
  void read_as(dtype type) { rules_.type = type; }

  // The part of the text that comes next; null at the end. Valid until the next call.
  parsed_part const* next();

  std::uint64_t bytes_read() const;
  std::optional<std::uint64_t> file_bytes() const { return input_.file_bytes(); }
  std::string const& name() const { return input_.name(); }
  // Why a column of several is left out, by its index among those that are wanted.
  std::optional<misfit> const& misfit_of(std::size_t column) const { return misfits_[column]; }
  // "FILE: line N: problem", of what is `at` bytes behind what has been taken.
  [[noreturn]] void fail(std::size_t at, std::string const& problem);

 private:
  std::uint64_t line_of(std::size_t at);
  void keep_misfits(std::string_view text);
  void parse(parsed_part& part, std::string_view text, std::size_t from, std::size_t until,
             bool last);
  std::vector<std::size_t> cuts(std::string_view text, std::size_t end) const;
  std::size_t parse_all(std::string_view text, std::size_t end, bool last);
  void parse_on();

  reader input_;
  mapping file_;
  std::size_t at_ = 0, kept_at_ = 0;         // in file_
  std::optional<std::uint64_t> kept_bytes_;  // that were read to keep them
  column_rules rules_;
  int threads_;
  format format_;
  std::vector<parsed_part> parts_;
  std::size_t used_ = 0, given_ = 0;  // parts that hold something, and of these, by next()
  std::vector<std::optional<misfit>> misfits_;
  line_counter taken_lines_;
};

// The numbers of a text's one column, part after part.
class parsed_source final : public source {
 public:
  parsed_source(text_parts parts, std::optional<dtype> type);
  void settle() override;
  void read_as(dtype type) override;
  std::span<std::byte const> next(std::size_t most) override;

 private:
  text_parts text_;
  parsed_part const* part_ = nullptr;
  std::size_t done_ = 0;  // bytes of it
  std::uint64_t total_ = 0;
  bool looked_ahead_ = false;  // what there is to be said is known
};

}  // namespace tally::io
