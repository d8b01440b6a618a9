// SPDX-License-Identifier: Apache-2.0
//
// One value of any element type, or an integer of any size, and how it is told.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "tally/dynamic.hpp"

namespace tally::cli {

using json = nlohmann::ordered_json;

class number {
 public:
  template <element T>
  explicit number(T x) : type_(dtype_of<T>), bits_(to_bits(x)) {}
  explicit number(any_number const& x) : type_(x.type), bits_(x.bits) {}
  // The only value of a result; of a wide aggregate the exact integer.
  explicit number(any_result const& found);
  // Of the first type that has it: int64, uint64, int128, uint128, int256.
  explicit number(wide_integer const& x);
  // An int64 or uint64, or that with more bits where it needs them.
  number(dtype type, wide_integer const& x);
  // One that is missing, be it of a type that has no NaN.
  static number missing(dtype type);

  // An element type's, or int128, uint128, int256 or uint256.
  std::string type_name() const;
  bool is_floating() const { return tally::is_floating(type_); }
  // The shortest decimal text that reads back as the same value of the type; nan, inf, -inf.
  std::string text() const;
  // A number that parses as a double to exactly the value; where no double has it, an integer
  // beyond 2^53 or what is not finite, a string.
  json to_json() const;
  // In hexadecimal digits, as wide as the type; null of what is missing.
  json bits() const;

 private:
  dtype type_;
  std::uint64_t bits_;
  std::optional<wide_integer> wide_;  // where 64 bits do not hold it
  bool missing_ = false;

  int width() const;
};

}  // namespace tally::cli
