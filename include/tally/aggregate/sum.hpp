// SPDX-License-Identifier: Apache-2.0
//
// sum: integers modulo 2^64, floating point exactly and rounded once. sum_state: the exact sum.
#pragma once

#include "tally/aggregate/aggregate.hpp"
#include "tally/exact/exact_state.hpp"
#include "tally/operators.hpp"

namespace tally {
namespace detail {

// The type whose exact states hold values of both types.
template <class A, class B>
using wider = std::conditional_t<
    is_one_of<double, A, B>, double,
    std::conditional_t<is_one_of<float16, A> && is_one_of<float16, B>, float16, float>>;

// What a sum of Ts comes back as, unless R says.
template <element T, class R>
struct sum_result_of {
  using type = R;
};
template <floating T>
struct sum_result_of<T, void> {
  using type = T;
};
template <integer T>
struct sum_result_of<T, void> {
  using type = widest<T>;
};
template <element T, class R>
using sum_result = typename sum_result_of<T, R>::type;

}  // namespace detail

// The exact sum of a floating type T, kept as `exact_state<State>`, rounded to R.
template <floating T, floating R = T, floating State = T>
struct exact_sum {
  using element = T;
  using state = exact_state<State>;
  using result = R;
  using parts = exact_sum<T, T, State>;
  static constexpr bool any_order = true;
  static constexpr char const* name = "sum";

  TALLY_HD state identity() const { return {}; }
  TALLY_FN state lift(T x, std::uint64_t) const {
    state s;
    s.add(x);
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

// The sum of integers, modulo 2^64 and from there to R.
template <integer T, integer R = widest<T>>
struct integer_sum {
  using element = T;
  using state = std::uint64_t;
  using result = R;
  using parts = integer_sum<T>;
  static constexpr bool any_order = true;
  static constexpr char const* name = "sum";

  TALLY_HD state identity() const { return 0; }
  TALLY_FN state lift(T x, std::uint64_t) const { return state(x); }
  TALLY_FN state combine(state left, state right) const { return left + right; }
  TALLY_FN R lower(state s) const { return R(s); }
  static void write(byte_writer& out, state s) { out.put(s); }
  static state read(byte_reader& in) { return in.get<state>(); }
};

// Prefix sums. `start` is the state of an initial value.
template <floating In, floating Out, floating State = detail::wider<In, Out>>
struct exact_running_sum : exact_sum<In, Out, State> {
  using parts = exact_running_sum;
  using typename exact_sum<In, Out, State>::state;
  state start(Out init) const {
    state s;
    s.add(init);
    return s;
  }
};

template <integer In, integer Out>
struct integer_running_sum : integer_sum<In, Out> {
  using parts = integer_running_sum;
  std::uint64_t start(Out init) const { return std::uint64_t(init); }
};

// sum{}: the result has the input's type (floating point), or is int64_t or uint64_t (integers);
// sum{}.as<float>() rounds once to float instead. A scan computes in the output's type.
template <class R = void>
struct basic_sum {
  template <class Other>
  constexpr basic_sum<Other> as() const {
    return {};
  }
  template <element T>
    requires(floating<T> || integer<detail::sum_result<T, R>>)
  auto on() const {
    if constexpr (integer<T>)
      return integer_sum<T, detail::sum_result<T, R>>{};
    else
      return exact_sum<T, detail::sum_result<T, R>>{};
  }
  template <element In, element Out>
    requires(integer<In> == integer<Out>)
  auto scanning() const {
    if constexpr (integer<In>)
      return integer_running_sum<In, Out>{};
    else
      return exact_running_sum<In, Out>{};
  }
};
using sum = basic_sum<>;

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

// sum_state{}: the exact sum itself, an exact_state, at the speed of sum{}.
struct sum_state {
  template <floating T>
  auto on() const {
    return exact_sum_state<T>{};
  }
};

}  // namespace tally
