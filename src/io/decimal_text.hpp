// SPDX-License-Identifier: Apache-2.0
//
// A number in decimal as a text has it, taken apart and put together.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tally/io/number.hpp"

namespace tally::io {

// A number's parts: digits with a point somewhere among them, times 10^exponent; no zeros at either
// end, and of zero no digits.
struct decimal_text {
  static constexpr std::int64_t farthest = 20'000'000;  // from the point, a digit

  bool negative = false;
  std::string_view whole, fraction;
  std::int64_t exponent = 0;

  bool is_zero() const { return whole.empty() && fraction.empty(); }
  // The places of the first and the last digit: 0 is that of the units.
  std::int64_t highest() const { return exponent + std::int64_t(whole.size()) - 1; }
  std::int64_t lowest() const { return exponent - std::int64_t(fraction.size()); }
  std::string digits() const { return std::string(whole) + std::string(fraction); }
};

// All of `text`; out_of_range: a digit is.
parsed take_apart(std::string_view text, decimal_text& out);

// "1234", with its point so many digits from the right, which may be beyond its end: an optional
// minus, digits, and a point where there is a fraction; no zeros to spare, but with `zeros` those
// behind the point.
std::string with_point(bool negative, std::string digits, std::int64_t scale, bool zeros = false);

// To so many significant digits, to nearest: the number goes on behind its digits, so that none is
// a tie.
std::string rounded(std::string digits, std::size_t most);

}  // namespace tally::io
