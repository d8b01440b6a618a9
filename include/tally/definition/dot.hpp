// SPDX-License-Identifier: Apache-2.0
//
// Exact sums of products of floating-point numbers.
#pragma once

#include "tally/aggregate/dot.hpp"
#include "tally/exact/exact_products.hpp"

namespace tally {

template <floating T, floating R>
struct exact_dot {
  using element = zipped<T, T>;
  using state = exact_products<T>;
  using result = R;
  using parts = exact_dot<T>;
  static constexpr bool any_order = true;
  static constexpr char const* name = "dot";

  TALLY_HD state identity() const { return {}; }
  TALLY_FN state lift(element x, std::uint64_t) const {
    state s;
    s.add(x.first, x.second);
    return s;
  }
  TALLY_HD state combine(state left, state const& right) const {
    left.merge(right);
    return left;
  }
  TALLY_HD R lower(state const& s) const { return s.template result<R>(); }
  static void write(byte_writer& out, state const& s) { s.write(out); }
  static state read(byte_reader& in) { return state::read(in); }
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
