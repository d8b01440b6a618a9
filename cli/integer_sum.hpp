// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "report.hpp"

namespace tally::cli {

// The sum of a text's integers, whatever their size and whatever is missing between them.
class integer_sum {
 public:
  // What next() gave.
  void add(any_array const& x);
  // Puts it into an answer, that of a sum or one with a sum among others. `facts` is all there is
  // to be said of the text, in which there were no other numbers. Modulo 2^64, if it is asked for
  // as such a type.
  void put(answer& to, io::text_facts const& facts, std::optional<dtype> type = {}) const;

 private:
  io::decimal_sum sum_;
};

}  // namespace tally::cli
