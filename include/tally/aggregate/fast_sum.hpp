// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/aggregate/sum.hpp"

namespace tally {

// Floating-point additions in the type itself (float16 and bfloat16: in float), in the order of the
// aligned tree: as fast as a sum gets, rounded at every step, yet with the same bits everywhere.
template <floating T>
struct tree_sum {
  using element = T;
  using state = std::conditional_t<sizeof(T) == 2, float, T>;
  using result = T;
  static constexpr bool any_order = false;
  static constexpr char const* name = "fast_sum";

  TALLY_FN state identity() const { return state(-0.0); }  // x + -0 is x, for -0 too
  TALLY_FN state lift(T x, std::uint64_t) const
    requires(sizeof(T) == 2)
  {
    return detail::to_float(x);
  }
  template <class S>  // an element that is a state, a state, or a vector of them
    requires(sizeof(T) != 2)
  TALLY_FN S lift(S x, std::uint64_t) const {
    return x;
  }
  template <class S>
  TALLY_FN S combine(S left, S right) const {
    return left + right;
  }
  TALLY_HD T lower(state s) const {
    bool const zero = bits_of<state>(to_bits(s) << 1) == 0;  // s == 0 may take a subnormal for zero
    return zero ? T{} : convert<T>(s);
  }
  state start(T init) const { return convert<state>(init); }
  static void write(auto& out, state s) { out.put(s); }
  static state read(auto& in) { return in.template get<state>(); }
  // No result tells the zeros apart, nor NaNs.
  static void pack(auto& out, state s) {
    out.put(is_nan(s) ? quiet_nan<state>() : bits_of<state>(to_bits(s) << 1) == 0 ? state{} : s);
  }
};

// fast_sum{}: as above; integers are summed as by sum{}.
struct fast_sum {
  static constexpr char const* name = "fast_sum";
  static constexpr char const* summary =
      "a sum rounded at every step, with the same bits everywhere";
  template <element T>
  using result = detail::sum_result<T, void>;

  template <element T>
  auto on() const {
    if constexpr (integer<T>)
      return integer_sum<T>{};
    else
      return tree_sum<T>{};
  }
  template <element In, element Out>
    requires(integer<In> == integer<Out> && (integer<In> || std::is_same_v<In, Out>))
  auto scanning() const {
    if constexpr (integer<In>)
      return integer_running_sum<In, Out>{};
    else
      return tree_sum<In>{};
  }
};

}  // namespace tally
