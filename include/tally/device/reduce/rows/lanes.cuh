// SPDX-License-Identifier: Apache-2.0
//
// What the lanes of a group do for an aggregate that takes any order: each has a sum of its own,
// which few words hold, and passes it on by shuffles.
#pragma once

#include "tally/aggregate/names.hpp"
#include "tally/device/reduce/agent/agent.cuh"

namespace tally::device {

// lanes_for<Agent>::make(agent) returns, for what agents of blocks do, what lanes do: a small type,
// trivially copyable, that is handed to the kernel. It has
//
//   element, result, sum
//   is_certain            whether finish() always knows the result; if not, it may do so of rows of
//                         up to longest_certain elements
//   none()                the sum of no elements
//   add(sum, x, index)    adds an element
//   add_next(sum, x, index), add_vector(sum, x, first)
//                         and one behind all others, and a vector of neighbours behind other
//                         vectors, if that is faster
//   combine(sum, sum)
//   finish(sum, n, out)   writes the result of a row of n elements, unless that is in doubt: then
//                         it returns false, and the row is computed again (by_block.cuh)
//   again()               other lanes that take longer and tell more, if there are any; these may
//                         have a member that makes them for a row:
//   of_row(row)
//
// Agents without are alone.
template <class Agent>
struct lanes_for;

// An aggregate with a small state: as it is.
template <aggregate A>
struct lanes_of_states {
  using element = typename A::element;
  using result = typename A::result;
  using sum = typename A::state;
  static constexpr bool is_certain = true;

  bool skips_nan;
  A a;

  __device__ sum none() const { return a.identity(); }
  __device__ void add(sum& s, element x, std::uint64_t index) const {
    if constexpr (has_nan<element>)
      if (skips_nan && is_nan(x)) return;
    s = a.combine(s, a.lift(x, index));
  }
  template <class Batch>
  __device__ void add_vector(sum& s, Batch const& x, std::uint64_t first) const
    requires requires(std::uint64_t (*index)(int)) { a.add(s, x, index, all_elements{}); }
  {
    auto const index = [&](int k) { return first + std::uint64_t(k); };
    if constexpr (has_nan<element>)
      if (skips_nan) return a.add(s, x, index, numbers_of<Batch>{x, ~0u});
    a.add(s, x, index, all_elements{});
  }
  __device__ sum combine(sum const& s, sum const& t) const { return a.combine(s, t); }
  __device__ bool finish(sum const& s, std::uint64_t, result& out) const {
    out = a.lower(s);
    return true;
  }
};
template <aggregate A, int Chains>
struct lanes_for<plain_agent<A, Chains>> {
  static lanes_of_states<A> make(plain_agent<A, Chains> const& agent) {
    return {agent.skips_nan, agent.a};
  }
};

// Calls f(lanes), in a place of its own where the compiler sees that no NaN is skipped.
template <class Lanes, class F>
__device__ void for_skipping(Lanes const& lanes, F f) {
  if constexpr (requires { lanes.skips_nan; }) {
    if (has_nan<typename Lanes::element> && lanes.skips_nan) return f(lanes);
    auto skipping_none = lanes;
    skipping_none.skips_nan = false;
    f(skipping_none);
  } else {
    f(lanes);
  }
}

// Adds an element whose index is above those before.
template <class Lanes, class T>
__device__ void add_next(Lanes const& lanes, typename Lanes::sum& s, T const& x,
                         std::uint64_t index) {
  if constexpr (requires { lanes.add_next(s, x, index); })
    lanes.add_next(s, x, index);
  else
    lanes.add(s, x, index);
}

// Adds a vector of neighbours, the first of which has an index above those of vectors before.
template <class Lanes, class Batch>
__device__ void add_vector(Lanes const& lanes, typename Lanes::sum& s, Batch const& x,
                           std::uint64_t first) {
  if constexpr (requires { lanes.add_vector(s, x, first); })
    lanes.add_vector(s, x, first);
  else
    for_skipping(lanes, [&](auto const& own) {
#pragma unroll
      for (int k = 0; k < Batch::size; ++k) own.add(s, x[k], first + k);
    });
}

// Whether finish() knows the results of all rows of up to so many elements.
template <class Lanes>
constexpr bool are_certain([[maybe_unused]] std::uint64_t longest) {
  if constexpr (requires { Lanes::longest_certain; })
    return Lanes::is_certain || longest <= Lanes::longest_certain;
  else
    return Lanes::is_certain;
}

// Lanes that do nothing, where there is no other way than the agent's.
struct no_lanes {};
template <class Lanes>
auto lanes_again([[maybe_unused]] Lanes const& lanes) {
  if constexpr (requires { lanes.again(); })
    return lanes.again();
  else
    return no_lanes{};
}

template <class Lanes, class Row>
__device__ Lanes lanes_of_row(Lanes const& lanes, [[maybe_unused]] Row const& row) {
  if constexpr (requires { lanes.of_row(row); })
    return lanes.of_row(row);
  else
    return lanes;
}

// What A's lanes are, or void.
template <aggregate A>
auto make_lanes(A const& a, bool skips_nan) {
  auto const agent = make_agent(a, skips_nan);
  using agent_type = std::remove_const_t<decltype(agent)>;
  if constexpr (requires { lanes_for<agent_type>::make(agent); })
    return lanes_for<agent_type>::make(agent);
}
template <aggregate A>
inline constexpr bool has_lanes =
    !std::is_void_v<decltype(make_lanes(std::declval<A const&>(), false))>;

}  // namespace tally::device
