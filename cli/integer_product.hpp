// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "masked_array.hpp"
#include "tally/serial.hpp"

namespace tally::cli {

// The exact product of integers, of any number of them and in any grouping, unless it has more than
// so many digits. It is a tree, whose halves are about as long: they take no more than n^1.6 steps.
class integer_product {
 public:
  static constexpr std::size_t most_digits = 1'000'000;

  // Those that are not missing.
  void add(masked_array const& x);
  void append(integer_product const& right);
  // By an integer in decimal, of which there are digits, the first not 0 but of zero itself.
  void multiply(bool negative, std::string_view digits);

  // In decimal; inf or -inf if it has too many digits.
  std::string text() const;

  void write(byte_writer& out) const { out.put(std::string_view(text())); }
  void read(byte_reader& in);

 private:
  using digits = std::vector<std::uint64_t>;  // seven in each, the lowest first

  std::uint64_t small_ = 1;      // the product is this
  std::vector<digits> factors_;  // times all of these
  bool negative_ = false, zero_ = false, too_long_ = false;

  void multiply(std::uint64_t magnitude);
  void push(digits factor);
  std::optional<digits> magnitude() const;
};

}  // namespace tally::cli
