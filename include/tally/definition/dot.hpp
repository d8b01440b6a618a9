// SPDX-License-Identifier: Apache-2.0
//
// Exact sums of products of floating-point numbers.
#pragma once

#include "tally/aggregate/dot.hpp"
#include "tally/definition/sum.hpp"
#include "tally/exact/exact_products.hpp"

namespace tally {

template <floating T, floating R>
struct exact_dot : detail::exact_total_of<exact_products<T>, R> {
  using element = zipped<T, T>;
  using state = exact_products<T>;
  using parts = exact_dot<T>;
  using told_by = detail::asked<dot_state>;
  static constexpr char const* name = "dot";

  TALLY_FN state lift(element x, std::uint64_t) const {
    state s;
    s.add(x.first, x.second);
    return s;
  }
};

template <floating T>
struct exact_dot_state : exact_dot<T> {
  using typename exact_dot<T>::state;
  using result = state;
  static constexpr char const* name = "dot_state";
  TALLY_HD state lower(state s) const {
    s.finite.carry();
    return s;
  }
};

}  // namespace tally
