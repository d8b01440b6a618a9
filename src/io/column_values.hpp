// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scan_number.hpp"
#include "tally/dtype.hpp"
#include "tally/io/decimals.hpp"
#include "tally/io/number.hpp"
#include "tally/io/source.hpp"

namespace tally::io {

// Whether numbers are taken in decimal instead of as elements: their sum alone, or each.
enum class decimal_use { none, sum, each };

// What a column's fields are read as, said once for all of a file.
struct column_rules {
  std::optional<dtype> type;
  std::vector<std::string> missing;  // words that say so, which may be ones that read as numbers
  decimal_use decimals = decimal_use::none;
  // Whether somebody asked for the type: then integers cannot be missing, and none is rounded
  // that the answer would have to be told of.
  bool asked_for = type.has_value();

  bool is_named(std::string_view text) const;
  // Whether the field says that there is no number.
  bool is_missing(std::string_view text) const;
};

// The numbers of a column in a part of a file, as the type that was asked for; without one, as the
// first of int64, uint64 and float64 that has them all, rounded once.
class column_values {
 public:
  void clear(column_rules const& rules);
  // `text` is the whole field, `found` what scan_number says of it if it says all.
  parsed add(std::string_view text, scanned_number const& found) {
    return put_common(found) ? parsed::number : add_any(text, found);
  }

  dtype type() const { return type_; }
  std::size_t size() const { return size_; }
  std::span<std::byte const> bytes() const {
    return std::as_bytes(std::span(words_)).first(size_ * size_of(type_));
  }
  // Which of the integers are written -0: zero, but as float64 the negative one.
  std::span<std::size_t const> negative_zeros() const { return negative_zeros_; }
  // Which of the integers are missing: zeros stand in their place.
  std::span<std::size_t const> missing() const { return missing_; }
  text_facts const& facts() const { return facts_; }
  // With rules that ask for decimals, in place of elements.
  decimal_sum const& sum() const { return sum_; }
  decimals const& each() const { return each_; }

 private:
  static constexpr auto exact_in_double = std::uint64_t(1) << 53;
  static constexpr double powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,
                                             1e7,  1e8,  1e9,  1e10, 1e11, 1e12, 1e13,
                                             1e14, 1e15, 1e16, 1e17, 1e18, 1e19};

  static std::uint64_t as_word(scanned_number const& n) {
    auto const sign = -std::uint64_t(n.negative);
    return (n.magnitude ^ sign) - sign;
  }
  // The bits of a double.
  static std::uint64_t quotient_of(scanned_number const& n) {
    auto const x = double(n.magnitude) / powers_of_ten[n.scale];
    return std::bit_cast<std::uint64_t>(x) | std::uint64_t(n.negative) << 63;
  }
  // What most are: integers of 64 bits with a sign among such, and decimals of 53 among float64.
  // Their quotient by a power of ten, both of them exact, is rounded once.
  bool put_common(scanned_number const& n) {
    bool const decimal = n.what == scanned_number::kind::decimal;
    if (n.what != common_ || size_ == words_.size()) return false;
    if (decimal) {
      if (n.magnitude > exact_in_double) return false;
      words_[size_++] = quotient_of(n);
      ++facts_.decimals;
      return true;
    }
    if ((n.magnitude - n.negative) >> 63) return false;  // -0 is one of those
    words_[size_++] = as_word(n);
    facts_.negative |= n.negative;
    if (n.magnitude >> 53) note_bits(n.magnitude, 53);
    return true;
  }
  // That an integer is in a floating type of so many bits.
  void note_bits(std::uint64_t magnitude, int bits) {
    facts_.rounded |= int(std::bit_width(magnitude)) - std::countr_zero(magnitude) > bits;
  }
  parsed add_any(std::string_view text, scanned_number const& found);
  void put(std::uint64_t word);
  void put(double value);
  void put_missing();
  // Of a number that scan_number has understood.
  static double nearest_double(std::string_view text, scanned_number const& n);
  void become_float64();
  void put_integer(scanned_number const& n);
  parsed put_other(std::string_view text);
  parsed put_as(std::string_view text, scanned_number const& n);
  // Likewise of a decimal, of which no fraction is left there.
  void note_decimal(scanned_number const& n, int bits);
  void note_rounding(std::string_view text, double x, int bits);
  void note_range(std::string_view text, double x);
  parsed add_in_decimal(std::string_view text, scanned_number const& n);

  column_rules const* rules_ = nullptr;
  dtype type_ = dtype::int64;
  // What put_common() takes: integers as long as all were, then decimals; else nothing, as where
  // any number may be a word that was named.
  std::optional<scanned_number::kind> common_;
  std::size_t size_ = 0;
  std::vector<std::uint64_t> words_;  // of a narrow type several elements each
  std::vector<std::size_t> negative_zeros_, missing_;
  text_facts facts_;
  decimal_sum sum_;
  decimals each_;
};

}  // namespace tally::io
