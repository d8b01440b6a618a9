// SPDX-License-Identifier: Apache-2.0
//
// All columns of a CSV file that hold numbers, in one read.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tally/io/decimals.hpp"
#include "tally/io/source.hpp"

namespace tally::io {

class table {
 public:
  // The file is CSV; open_options::column does not count. Throws as open() does. Numbers are
  // elements, in column(), or decimals, in in_decimal().
  explicit table(identified file, bool in_decimal = false);
  table(std::string const& path, open_options const& options);
  table(table&&) noexcept;
  ~table();

  std::vector<std::string> const& names() const;
  // The next rows; false at the end.
  bool next();

  // Of the column `i`, in these rows: as of a source that is not settled.
  struct run {
    dtype type;
    std::span<std::byte const> elements;
    std::span<std::size_t const> negative_zeros, missing;
  };
  // Nothing if a field, here or before, is no number and does not say that there is none. Where
  // there is one column alone, that is an error.
  std::optional<run> column(std::size_t i) const;
  decimals const* in_decimal(std::size_t i) const;  // likewise
  // Which field that is.
  std::optional<misfit> const& misfit_of(std::size_t i) const;
  // Of the column, so far.
  text_facts const& facts(std::size_t i) const;

  std::uint64_t rows() const;
  std::uint64_t bytes_read() const;
  std::optional<std::uint64_t> file_bytes() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace tally::io
