// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report.hpp"

namespace tally::cli {

// The sum of a text's integers, whatever their size and whatever is missing between them.
class integer_sum {
 public:
  // What next() gave.
  void add(any_array const& x);
  // What is told of it. `facts` is all there is to be said of the text, in which there were no
  // other numbers.
  answer answer_with(io::text_facts const& facts) const;

 private:
  io::decimal_sum sum_;
};

}  // namespace tally::cli
