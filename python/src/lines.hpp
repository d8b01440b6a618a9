// SPDX-License-Identifier: Apache-2.0
//
// What a call reads in the place of its argument: elements in another type, some of them left out,
// or one more before those of each result. A copy, where that is needed.
#pragma once

#include <deque>

#include "calls.hpp"

namespace tally::python {

struct reading {
  dtype type;                              // what elements become
  std::optional<array> where = {};         // which of them are there: bools, of x's shape
  std::optional<any_number> initial = {};  // comes before the elements of each result
};

class lines {
 public:
  lines(any_where where, array const& x, axes_list const& axes, reading const& how);

  any_ndarray const& input() const { return input_; }
  axes_list const& axes() const { return axes_; }

 private:
  std::deque<scratch> memory_;
  axes_list axes_;
  any_ndarray input_;

  any_ndarray joined(any_where where, array const& x, axes_list const& axes, dtype type,
                     std::optional<any_number> const& initial);
};

// The argument `where`, of the shape that x has.
array mask_of(char const* call, nb::handle where, array const& x);
// x without Arrow's nulls, which are NaNs, or left out by the mask where NaNs are.
array without_nulls(char const* call, array const& x, bool skip, std::optional<array>& mask);
// Whether an argument is an integer, of whatever library; or it is no number, which is an error.
bool is_integer_number(char const* call, char const* argument, nb::handle x);
// It as a number of a type: rounded to it, but never another integer.
any_number number_of(char const* call, char const* argument, nb::handle x, dtype type);

}  // namespace tally::python
