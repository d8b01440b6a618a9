// SPDX-License-Identifier: Apache-2.0
//
// One value of any element type, and how it is told.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tally/dynamic.hpp"

namespace tally::cli {

using json = nlohmann::ordered_json;

class number {
 public:
  template <element T>
  explicit number(T x) : type_(dtype_of<T>), bits_(to_bits(x)) {}
  explicit number(any_number const& x) : type_(x.type), bits_(x.bits) {}

  dtype type() const { return type_; }
  // The shortest decimal text that reads back as the same value of the type; nan, inf, -inf.
  std::string text() const;
  // Parses as a double to exactly the value; integers in full; what is not finite is a string.
  json to_json() const;
  // As wide as the type.
  std::string hexadecimal() const;

 private:
  dtype type_;
  std::uint64_t bits_;
};

}  // namespace tally::cli
