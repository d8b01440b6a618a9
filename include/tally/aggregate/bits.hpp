// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/aggregate/aggregate.hpp"
#include "tally/operators.hpp"

namespace tally {

// What bit_and{}, bit_or{} and bit_xor{} are for integers: in the element's type, in any order. Of
// nothing: all ones (of bool: true), 0 and 0.
template <integer T, class Op>
struct bitwise {
  using element = T;
  using state = T;
  using result = T;
  static constexpr bool any_order = true;
  static constexpr char const* name = Op::name;

  TALLY_FN state identity() const { return Op::template identity<T>; }
  TALLY_FN state lift(T x, std::uint64_t) const { return x; }
  TALLY_FN state combine(state left, state right) const { return Op{}(left, right); }
  TALLY_FN T lower(state s) const { return s; }
  static void write(auto& out, state s) { out.put(s); }
  static state read(auto& in) { return in.template get<state>(); }
  using told_by = detail::asked<Op>;
  static state told(T result, std::uint64_t) { return result; }
};

}  // namespace tally
