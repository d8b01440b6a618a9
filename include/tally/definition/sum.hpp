// SPDX-License-Identifier: Apache-2.0
//
// Exact sums of floating-point numbers.
#pragma once

#include "tally/aggregate/sum.hpp"
#include "tally/exact/exact_state.hpp"

namespace tally {
namespace detail {

// What exact sums of values and of products have in common.
template <class State, floating R>
struct exact_total_of {
  using state = State;
  using result = R;
  static constexpr bool any_order = true;

  TALLY_HD state identity() const { return {}; }
  TALLY_HD state combine(state left, state const& right) const {
    left.merge(right);
    return left;
  }
  TALLY_HD R lower(state const& s) const { return s.template result<R>(); }
  static void write(byte_writer& out, state const& s) { s.write(out); }
  static state read(byte_reader& in) { return state::read(in); }
  static void pack(byte_writer& out, state const& s) { s.pack(out); }
  static state unpack(byte_reader& in) { return state::unpack(in); }
  static state told(state const& s, std::uint64_t) { return s; }
};

}  // namespace detail

// The exact sum of a floating type T, kept as `exact_state<State>`, rounded to R.
template <floating T, floating R, floating State>
struct exact_sum : detail::exact_total_of<exact_state<State>, R> {
  using element = T;
  using state = exact_state<State>;
  using parts = exact_sum<T, T, State>;
  using told_by = detail::asked<sum_state>;
  static constexpr char const* name = "sum";

  TALLY_FN state lift(T x, std::uint64_t) const {
    state s;
    s.add(x);
    return s;
  }
};

// Prefix sums. `start` is the state of an initial value.
template <floating In, floating Out, floating State>
struct exact_running_sum : exact_sum<In, Out, State> {
  using parts = exact_running_sum;
  using typename exact_sum<In, Out, State>::state;
  state start(Out init) const {
    state s;
    s.add(init);
    return s;
  }
  // Which terms were not finite matters, but not how many, and then nothing else does.
  static void pack(byte_writer& out, state const& s) {
    state t;
    if (s.is_finite_sum())
      t.finite = s.finite;
    else
      ++(s.is_nan_sum() ? t.nan : s.negative_infinity ? t.negative_infinity : t.positive_infinity);
    t.pack(out);
  }
};

template <floating T>
struct exact_sum_state : exact_sum<T> {
  using typename exact_sum<T>::state;
  using result = state;
  static constexpr char const* name = "sum_state";
  TALLY_HD state lower(state s) const {
    s.finite.carry();
    return s;
  }
};

}  // namespace tally
