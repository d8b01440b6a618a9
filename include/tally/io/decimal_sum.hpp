// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tally/io/number.hpp"

namespace tally::io {

// The exact sum of numbers in decimal: 0.1 and 0.2 make 0.3. Any number of them, in any order and
// grouping, integers of any size among them; digits from 10^-20000000 to 10^20000000.
class decimal_sum {
 public:
  static constexpr unsigned most_scale = 19;

  // magnitude * 10^-scale; scale is at most most_scale.
  void add(bool negative, std::uint64_t magnitude, unsigned scale) {
    total const x = magnitude;
    totals_[scale] += negative ? -x : x;
  }
  void add(__int128 integer) { totals_[0] += integer; }
  // All of `text`, a number with or without a point and an exponent. out_of_range: a digit of it
  // is.
  parsed add(std::string_view text);
  void add(decimal_sum const& other);

  void negate();
  // Times an integer, and times 10^power.
  void multiply(std::uint64_t factor);
  void shift(std::int64_t power);
  // Throws where one has more than some 200,000 digits but zeros.
  decimal_sum times(decimal_sum const& other) const;
  decimal_sum square() const { return times(*this); }

  // In full: an optional minus, digits, and a point where there is a fraction; no zeros to spare.
  std::string text() const;
  // The sum divided by a number that is not 0, or the root of that, where it is not negative: in
  // full if it ends, a root within 70 digits. Else rounded, to 34 significant digits
  // or, if that is more, to one behind the point, of a root to 70; then zeros at its end are shown,
  // too. The divisor of a quotient is less than 2^124.
  std::string quotient(unsigned __int128 divisor) const;
  std::string root(unsigned __int128 divisor) const;

 private:
  using total = __int128;

  // In base 10^9 by itself: limbs[i] * 10^(9 * (first + i)).
  struct limbs {
    std::vector<std::int64_t> digits;
    std::int64_t first = 0;
    std::uint64_t added = 0;  // how often, since they were carried

    std::int64_t& at(std::int64_t place);
    void add(std::int64_t digit, std::int64_t power);
    void added_one();
    void carry();
    // Makes all digits positive; returns whether the value was negative.
    bool take_sign();
    // What is negative in no digit, in decimal; units of 10^(9 * first).
    std::string text() const;
  };

  // Carried.
  limbs all() const;
  std::optional<std::string> short_text() const;
  // digits * 10^-scale, without zeros at either end of the digits; of zero there are none.
  struct integer {
    bool negative;
    std::string digits;
    std::int64_t scale;
  };
  integer as_integer() const;

  std::array<total, most_scale + 1> totals_{};  // by scale
  limbs others_;
};

}  // namespace tally::io
