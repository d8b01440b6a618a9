// SPDX-License-Identifier: Apache-2.0
#include "column_values.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "number.hpp"
#include "tally/exact/float_format.hpp"

namespace tally::io {
namespace {

constexpr std::string_view usual_missing[] = {"", "na", "n/a", "#n/a", "null", "none", "-"};
constexpr auto most_positive = std::uint64_t(std::numeric_limits<std::int64_t>::max());
using kind = scanned_number::kind;

bool fits_int64(scanned_number const& n) { return n.magnitude <= most_positive + n.negative; }

bool is_wide_integer(std::string_view text) {
  text.remove_prefix(text.starts_with('-') || text.starts_with('+'));
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// NaN as C libraries write it: nan, -nan, nan(0x1), -nan(ind), and old ones on Windows 1.#QNAN.
bool spells_nan(std::string_view text) {
  text.remove_prefix(text.starts_with('-') || text.starts_with('+'));
  for (auto const word : {"1.#ind", "1.#qnan", "1.#snan"})
    if (equal_ignoring_case(text, word)) return true;
  if (text.size() < 3 || !equal_ignoring_case(text.substr(0, 3), "nan")) return false;
  text.remove_prefix(3);
  return text.empty() || (text.starts_with('(') && text.ends_with(')') &&
                          std::ranges::all_of(text.substr(1, text.size() - 2), [](unsigned char c) {
                            return std::isalnum(c) || c == '_';
                          }));
}

// Of a floating type, how many bits its numbers have; of others, those of what they are rounded to.
int bits_of(dtype type) {
  return visit(type, []<class T>(std::type_identity<T>) {
    if constexpr (floating<T>)
      return format<T>::precision;
    else
      return format<double>::precision;
  });
}

double double_at(dtype type, std::byte const* at) {
  return visit(type, [&]<class T>(std::type_identity<T>) {
    T x;
    std::memcpy(&x, at, sizeof x);
    return double(x);
  });
}

// Whether a number is exactly what the text says.
bool is_written(double x, std::string_view text) {
  constexpr std::size_t most = 400;
  char exact[most];
  auto const end = std::to_chars(exact, exact + most, x, std::chars_format::fixed, 0).ptr;
  decimal_sum left, right;
  return left.add({exact, end}) == parsed::number && right.add(text) == parsed::number &&
         left.text() == right.text();
}

double to_double(std::string_view text) {
  double x = 0;
  parse_number(text, dtype::float64, reinterpret_cast<std::byte*>(&x));
  return x;
}

}  // namespace

double column_values::nearest_double(std::string_view text, scanned_number const& n) {
  if (n.magnitude > exact_in_double && n.scale > 0) return to_double(text);
  return from_bits<double>(quotient_of(n));
}

bool column_rules::is_named(std::string_view text) const {
  return std::ranges::find(missing, text) != missing.end();
}

bool column_rules::is_missing(std::string_view text) const {
  constexpr std::size_t longest_usual = 4;
  if (text.size() <= longest_usual)
    for (auto const word : usual_missing)
      if (equal_ignoring_case(text, word)) return true;
  return spells_nan(text) || is_named(text);
}

void column_values::clear(column_rules const& rules) {
  rules_ = &rules;
  type_ = rules.type.value_or(dtype::int64);
  common_.reset();
  bool const decimals = rules.decimals != decimal_use::none;
  if (!rules.type && !decimals && rules.missing.empty()) common_ = kind::integer;
  size_ = 0;
  negative_zeros_.clear(), missing_.clear();
  facts_ = {};
  if (decimals) sum_ = {}, each_.clear();
}

parsed column_values::add_any(std::string_view text, scanned_number const& found) {
  auto const n = rules_->is_named(text) ? scanned_number{} : found;
  if (rules_->decimals != decimal_use::none) return add_in_decimal(text, n);
  if (rules_->type) return put_as(text, n);
  if (n.what == kind::integer) {
    put_integer(n);
    return parsed::number;
  }
  if (n.what != kind::decimal) return put_other(text);
  ++facts_.decimals;
  become_float64();
  note_decimal(n, bits_of(dtype::float64));
  put(nearest_double(text, n));
  return parsed::number;
}

void column_values::put(std::uint64_t word) {
  if (size_ == words_.size()) words_.resize(std::max<std::size_t>(2 * size_, 64));
  words_[size_++] = word;
}

void column_values::put(double value) { put(to_bits(value)); }

void column_values::put_missing() {
  ++facts_.missing;
  if (type_ == dtype::float64) return put(quiet_nan<double>());
  missing_.push_back(size_);
  put(std::uint64_t(0));
}

void column_values::put_integer(scanned_number const& n) {
  bool const negative = n.negative && n.magnitude > 0;
  note_bits(n.magnitude, bits_of(dtype::float64));
  if (type_ != dtype::float64 && n.negative && !negative) negative_zeros_.push_back(size_);
  if (type_ == dtype::int64 && fits_int64(n)) {
    facts_.negative |= negative;
    return put(as_word(n));
  }
  if (type_ != dtype::float64 && !facts_.negative && !negative) {
    type_ = dtype::uint64;
    common_.reset();
    return put(n.magnitude);
  }
  facts_.negative |= negative;
  become_float64();
  double const x = n.negative ? -double(n.magnitude) : double(n.magnitude);
  if (n.magnitude >= exact_in_double) facts_.large.add(n.negative, n.magnitude, 0);
  put(x);
}

// What was put before is rounded, too.
void column_values::become_float64() {
  if (type_ == dtype::float64) return;
  bool const is_signed = type_ == dtype::int64;
  type_ = dtype::float64;
  if (rules_->missing.empty()) common_ = kind::decimal;
  auto const zeros = std::exchange(negative_zeros_, {});
  auto zero = zeros.begin();
  auto const integers = std::span(words_).first(std::exchange(size_, 0));
  for (auto const word : integers) {
    bool const is_zero = zero != zeros.end() && *zero == size_;
    bool const negative = is_zero || (is_signed && std::int64_t(word) < 0);
    zero += is_zero;
    put_integer(
        {.what = kind::integer, .negative = negative, .magnitude = negative ? -word : word});
  }
  for (auto const i : std::exchange(missing_, {})) words_[i] = to_bits(quiet_nan<double>());
}

parsed column_values::put_other(std::string_view text) {
  if (rules_->is_missing(text)) {
    put_missing();
    return parsed::number;
  }
  double x;
  if (auto const result = parse_number(text, dtype::float64, reinterpret_cast<std::byte*>(&x));
      result != parsed::number)
    return result;
  std::uint64_t magnitude = 0;
  if (is_wide_integer(text)) {
    bool const negative = text[0] == '-';
    auto const digits = text.substr(negative || text[0] == '+');
    if (parse_number(digits, dtype::uint64, reinterpret_cast<std::byte*>(&magnitude)) ==
        parsed::number) {
      put_integer({.what = kind::integer, .negative = negative, .magnitude = magnitude});
      return parsed::number;
    }
    decimal_sum one;
    if (auto const result = one.add(text); result != parsed::number) return result;
    facts_.large.add(one);
  } else {
    ++facts_.decimals;
  }
  note_rounding(text, x, bits_of(dtype::float64));
  note_range(text, x);
  become_float64();
  put(x);
  return parsed::number;
}

void column_values::note_decimal(scanned_number const& n, int bits) {
  auto const unit = std::uint64_t(powers_of_ten[n.scale]), whole = n.magnitude / unit;
  if (whole >> bits == 0) return;
  note_bits(whole, bits);
  facts_.rounded |= whole * unit != n.magnitude;
}

// What another number in full has become in a type of so many bits, where that has no fractions.
void column_values::note_rounding(std::string_view text, double x, int bits) {
  bool const in_full = text.find_first_of("eEiI") == text.npos;
  if (facts_.rounded || !in_full || std::fabs(x) < std::ldexp(1.0, bits)) return;
  facts_.rounded = !std::isfinite(x) || !is_written(x, text);
}

// What a number that is finite, and not zero, must not have become.
void column_values::note_range(std::string_view text, double x) {
  bool const infinite = std::isinf(x) && text.find_first_of("iI") == text.npos;
  auto const digits = text.substr(0, text.find_first_of("eE"));
  facts_.beyond += infinite || (x == 0 && digits.find_first_of("123456789") != text.npos);
}

parsed column_values::put_as(std::string_view text, scanned_number const& n) {
  if (!rules_->asked_for && n.what == kind::integer) note_bits(n.magnitude, bits_of(type_));
  if (!rules_->asked_for && n.what == kind::decimal) note_decimal(n, bits_of(type_));
  if (type_ == dtype::float64 && n.what != kind::other) {
    put(nearest_double(text, n));
    return parsed::number;
  }
  if (type_ == dtype::int64 && n.what == kind::integer && fits_int64(n)) {
    put(as_word(n));
    return parsed::number;
  }
  auto const size = size_of(type_);
  if ((size_ + 1) * size > 8 * words_.size())
    words_.resize(std::max<std::size_t>(2 * words_.size(), 64));
  auto* const at = reinterpret_cast<std::byte*>(words_.data()) + size_ * size;
  if ((is_floating(type_) || !rules_->asked_for) && rules_->is_missing(text)) {
    ++facts_.missing;
    if (is_floating(type_))
      put_nan(type_, at);
    else
      std::memset(at, 0, size), missing_.push_back(size_);
  } else if (rules_->is_named(text)) {
    return parsed::not_a_number;
  } else if (auto const result = parse_number(text, type_, at); result != parsed::number) {
    return result;
  } else if (is_floating(type_)) {
    auto const x = double_at(type_, at);
    note_range(text, x);
    if (!rules_->asked_for && n.what == kind::other) note_rounding(text, x, bits_of(type_));
  }
  ++size_;
  return parsed::number;
}

parsed column_values::add_in_decimal(std::string_view text, scanned_number const& n) {
  bool const each = rules_->decimals == decimal_use::each;
  ++size_;
  if (n.what != kind::other) {
    each ? each_.add(n.negative, n.magnitude, n.scale) : sum_.add(n.negative, n.magnitude, n.scale);
    return parsed::number;
  }
  if (!rules_->is_missing(text)) return each ? each_.add(text) : sum_.add(text);
  ++facts_.missing;
  if (each) each_.add_missing();
  return parsed::number;
}

}  // namespace tally::io
