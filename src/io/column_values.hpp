// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scan_number.hpp"
#include "tally/dtype.hpp"
#include "tally/io/decimal_sum.hpp"
#include "tally/io/number.hpp"
#include "tally/io/source.hpp"

namespace tally::io {

// What a column's fields are read as, said once for all of a file.
class column_rules {
 public:
  column_rules(std::optional<dtype> type, std::vector<std::string> const& missing, bool decimals);

  std::optional<dtype> type() const { return type_; }
  void read_as(dtype type) { type_ = type; }
  bool decimals() const { return decimals_; }
  // Whether the field says that there is no number.
  bool is_missing(std::string_view text) const;

 private:
  std::optional<dtype> type_;
  std::vector<std::string> missing_;
  bool decimals_;
};

// The numbers of a column in a part of a file, as the type that was asked for; without one, as the
// first of int64, uint64 and float64 that has them all, rounded once.
class column_values {
 public:
  void clear(column_rules const& rules);
  // `text` is the whole field, `found` what scan_number says of it if it says all.
  parsed add(std::string_view text, scanned_number const& found);

  dtype type() const { return type_; }
  std::size_t size() const { return size_; }
  std::span<std::byte const> bytes() const {
    return std::as_bytes(std::span(words_)).first(size_ * size_of(type_));
  }
  text_facts const& facts() const { return facts_; }
  // With rules that ask for decimals: their sum, and no elements.
  decimal_sum const& sum() const { return sum_; }

 private:
  void put(std::uint64_t word);
  void put(double value);
  void become_float64();
  void put_integer(scanned_number const& n);
  parsed put_other(std::string_view text);
  parsed put_as(std::string_view text, scanned_number const& n);
  parsed add_decimal(std::string_view text, scanned_number const& n);

  column_rules const* rules_ = nullptr;
  dtype type_ = dtype::int64;
  std::size_t size_ = 0;
  std::vector<std::uint64_t> words_;  // of a narrow type several elements each
  text_facts facts_;
  decimal_sum sum_;
};

}  // namespace tally::io
