// SPDX-License-Identifier: Apache-2.0
//
// Aggregates without an identity get one on a device: the state of no elements.
#pragma once

#include "tally/aggregate/aggregate.hpp"

namespace tally::device {

template <aggregate A>
struct with_identity {
  using element = typename A::element;
  using state = maybe<typename A::state>;
  using result = typename A::result;
  static constexpr bool any_order = A::any_order;
  A a;

  TALLY_FN state identity() const { return {{}, false}; }
  TALLY_FN state lift(element x, std::uint64_t i) const { return {a.lift(x, i), true}; }
  TALLY_FN state combine(state const& s, state const& t) const { return tally::combine(a, s, t); }
  TALLY_FN result lower(state const& s) const { return a.lower(s.value); }
  TALLY_FN bool empty(state const& s) const { return !s.present; }
};

template <aggregate A>
auto ordered_on_device(A const& a) {
  if constexpr (has_identity<A>)
    return a;
  else
    return with_identity<A>{a};
}

// A state of A as one of what ordered_on_device() makes of A.
template <aggregate A, class State>
auto start_state(A const&, State const& s) {
  if constexpr (std::is_same_v<State, typename A::state>)
    return s;
  else
    return typename A::state{s, true};
}

// The same the other way round.
template <aggregate A, class Known>
TALLY_FN void put_state(A const&, typename A::state const& s, maybe<Known>& to) {
  to = {Known(s), true};
}
template <aggregate A, class Known>
TALLY_FN void put_state(with_identity<A> const&, maybe<typename A::state> const& s,
                        maybe<Known>& to) {
  to = s;
}

// The result of a state; of no elements, where there is no identity, a default value.
template <aggregate A>
TALLY_FN typename A::result lower_or_none(A const& a, typename A::state const& s) {
  return a.lower(s);
}
template <aggregate A>
TALLY_FN typename A::result lower_or_none(with_identity<A> const& a,
                                          maybe<typename A::state> const& s) {
  return s.present ? a.lower(s) : typename A::result{};
}

}  // namespace tally::device
