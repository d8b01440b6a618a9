// SPDX-License-Identifier: Apache-2.0
//
// sum: integers modulo 2^64, floating point exactly and rounded once (definition/sum.hpp).
// sum_state: the exact sum.
#pragma once

#include "tally/aggregate/aggregate.hpp"
#include "tally/aggregate/names.hpp"

namespace tally {
namespace detail {

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

template <class R = void>
struct basic_sum;

// The sum of integers, modulo 2^64 and from there to R.
template <integer T, integer R>
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
  static void write(auto& out, state s) { out.put(s); }
  static state read(auto& in) { return in.template get<state>(); }
  using told_by = detail::asked<basic_sum<void>>;
  static state told(auto sum, std::uint64_t) { return state(sum); }
};

// Prefix sums. `start` is the state of an initial value.
template <integer In, integer Out>
struct integer_running_sum : integer_sum<In, Out> {
  using parts = integer_running_sum;
  std::uint64_t start(Out init) const { return std::uint64_t(init); }
  static void pack(auto& out, std::uint64_t s) { out.put(Out(s)); }
  static std::uint64_t unpack(auto& in) { return std::uint64_t(in.template get<Out>()); }
};

// sum{}: the result has the input's type (floating point), or is int64_t or uint64_t (integers);
// sum{}.as<float>() rounds once to float instead. A scan computes in the output's type.
template <class R>
struct basic_sum : detail::rounded_to_any<basic_sum> {
  static constexpr char const* name = "sum";
  static constexpr char const* summary = "the exact sum, rounded once; of integers modulo 2^64";
  template <element T>
    requires(floating<T> || integer<detail::sum_result<T, R>>)
  using result = detail::sum_result<T, R>;

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
using sum = basic_sum<void>;

// sum_state{}: the exact sum itself, an exact_state, at the speed of sum{}.
struct sum_state {
  static constexpr char const* name = "sum_state";
  static constexpr char const* summary = "the exact sum itself";
  template <floating T>
  using result = exact_state<T>;

  template <floating T>
  auto on() const {
    return exact_sum_state<T>{};
  }
};

}  // namespace tally
