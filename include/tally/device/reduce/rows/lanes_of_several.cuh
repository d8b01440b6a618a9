// SPDX-License-Identifier: Apache-2.0
//
// What lanes do for several aggregates in one read, each beside the others: a row is in doubt where
// one of its results is.
#pragma once

#include "tally/device/reduce/rows/lanes.cuh"

namespace tally::device {

template <class Results, std::size_t... At>
struct joint_results;
template <class Agent, std::size_t... At>
struct joint_member;
template <class... Members>
struct joint_agent;

// Lanes, and which of the results they give.
template <class Lanes, std::size_t... At>
struct lanes_member {
  Lanes lanes;

  template <class Results>
  __device__ bool finish(typename Lanes::sum const& s, std::uint64_t n, Results& out) const {
    if constexpr (sizeof...(At) == 1)
      return lanes.finish(s, n, get<At...>(out));
    else
      return lanes.finish(s, n, joint_results<Results, At...>{&out});
  }
  // Its other lanes, or these.
  auto longer() const {
    if constexpr (requires { lanes.again(); }) {
      auto const again = lanes.again();
      return lanes_member<std::remove_const_t<decltype(again)>, At...>{again};
    } else {
      return *this;
    }
  }
};

template <class... Members>
struct lanes_beside;
template <>
struct lanes_beside<> {
  struct sum {};
  static constexpr bool is_certain = true, has_longer = false;

  template <class Row>
  __device__ lanes_beside of_row(Row const&) const {
    return {};
  }
  __device__ sum none() const { return {}; }
  template <class T>
  __device__ void add(sum&, T const&, std::uint64_t) const {}
  template <class T>
  __device__ void add_next(sum&, T const&, std::uint64_t) const {}
  template <class Batch>
  __device__ void add_vector(sum&, Batch const&, std::uint64_t) const {}
  __device__ sum combine(sum const&, sum const&) const { return {}; }
  template <class Results>
  __device__ bool finish(sum const&, std::uint64_t, Results&) const {
    return true;
  }
  lanes_beside longer() const { return {}; }
};
template <class Lanes, std::size_t... At, class... Members>
struct lanes_beside<lanes_member<Lanes, At...>, Members...> {
  using after = lanes_beside<Members...>;
  struct sum_of_some {
    typename Lanes::sum first;
    typename after::sum rest;
  };
  struct sum_of_last {
    typename Lanes::sum first;
  };
  using sum = std::conditional_t<sizeof...(Members) == 0, sum_of_last, sum_of_some>;
  static constexpr bool is_certain = Lanes::is_certain && after::is_certain;
  static constexpr bool has_longer =
      after::has_longer || requires(Lanes const& lanes) { lanes.again(); };

  lanes_member<Lanes, At...> first;
  after rest;

  template <class Row>
  __device__ lanes_beside of_row(Row const& row) const {
    return {{lanes_of_row(first.lanes, row)}, rest.of_row(row)};
  }
  __device__ sum none() const {
    if constexpr (sizeof...(Members) == 0)
      return {first.lanes.none()};
    else
      return {first.lanes.none(), rest.none()};
  }
  template <class T>
  __device__ void add(sum& s, T const& x, std::uint64_t index) const {
    first.lanes.add(s.first, x, index);
    if constexpr (sizeof...(Members) != 0) rest.add(s.rest, x, index);
  }
  template <class T>
  __device__ void add_next(sum& s, T const& x, std::uint64_t index) const {
    device::add_next(first.lanes, s.first, x, index);
    if constexpr (sizeof...(Members) != 0) rest.add_next(s.rest, x, index);
  }
  template <class Batch>
  __device__ void add_vector(sum& s, Batch const& x, std::uint64_t index) const {
    device::add_vector(first.lanes, s.first, x, index);
    if constexpr (sizeof...(Members) != 0) rest.add_vector(s.rest, x, index);
  }
  __device__ sum combine(sum const& s, sum const& t) const {
    if constexpr (sizeof...(Members) == 0)
      return {first.lanes.combine(s.first, t.first)};
    else
      return {first.lanes.combine(s.first, t.first), rest.combine(s.rest, t.rest)};
  }
  template <class Results>
  __device__ bool finish(sum const& s, std::uint64_t n, Results& out) const {
    bool known = first.finish(s.first, n, out);
    if constexpr (sizeof...(Members) != 0) known = known && rest.finish(s.rest, n, out);
    return known;
  }
  auto longer() const {
    auto const own = first.longer();
    return [&]<class... Rest>(lanes_beside<Rest...> const& others) {
      return lanes_beside<std::remove_const_t<decltype(own)>, Rest...>{own, others};
    }(rest.longer());
  }
};

template <class Agent>
concept has_lanes_beside = requires(Agent const& agent) { lanes_for<Agent>::make(agent); };
template <class Joint>
inline constexpr bool all_have_lanes = false;
template <>
inline constexpr bool all_have_lanes<joint_agent<>> = true;
template <class Agent, std::size_t... At, class... Members>
inline constexpr bool all_have_lanes<joint_agent<joint_member<Agent, At...>, Members...>> =
    has_lanes_beside<Agent> && all_have_lanes<joint_agent<Members...>>;

inline lanes_beside<> make_lanes_beside(joint_agent<> const&) { return {}; }
template <class Agent, std::size_t... At, class... Members>
auto make_lanes_beside(joint_agent<joint_member<Agent, At...>, Members...> const& agent) {
  auto const own = lanes_for<Agent>::make(agent.first.agent);
  using member = lanes_member<std::remove_const_t<decltype(own)>, At...>;
  return [&]<class... Rest>(lanes_beside<Rest...> const& others) {
    return lanes_beside<member, Rest...>{{own}, others};
  }(make_lanes_beside(agent.rest));
}

// The lanes of aggregates side by side, whose result Last makes of theirs.
template <class T, class Result, class Beside, class Last>
struct lanes_of_several : Beside {
  using element = T;
  using result = Result;

  __device__ bool finish(typename Beside::sum const& s, std::uint64_t n, result& out) const {
    return Last::finish(static_cast<Beside const&>(*this), s, n, out);
  }
  template <class Row>
  __device__ lanes_of_several of_row(Row const& row) const {
    return {Beside::of_row(row)};
  }
  auto again() const
    requires Beside::has_longer
  {
    auto const others = Beside::longer();
    return lanes_of_several<T, Result, std::remove_const_t<decltype(others)>, Last>{others};
  }
};
template <class T, class Result, class Last, class Joint>
auto make_lanes_of_several(Joint const& agent) {
  auto const beside = make_lanes_beside(agent);
  return lanes_of_several<T, Result, std::remove_const_t<decltype(beside)>, Last>{beside};
}

}  // namespace tally::device
