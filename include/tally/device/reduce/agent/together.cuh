// SPDX-License-Identifier: Apache-2.0
//
// How blocks compute several aggregates in one read: the agent of all_together(). Those of sums and
// squares have their totals in common.
#pragma once

#include "tally/aggregate/all_together.hpp"
#include "tally/device/reduce/agent/common_moments.cuh"
#include "tally/device/reduce/agent/sum.cuh"
#include "tally/device/reduce/rows/lanes_of_several.cuh"

namespace tally::device {

// Some of a list of results, those that one member of a joint_agent fills.
template <class Results, std::size_t... At>
struct joint_results {
  Results* all;
  template <std::size_t k>
  __device__ auto* at() const {
    constexpr std::size_t i[] = {At...};
    return &get<i[k]>(*all);
  }
};

// An agent in a joint_agent, and which of the results it gives.
template <class Agent, std::size_t... At>
struct joint_member {
  Agent agent;

  template <class Results>
  __device__ bool finish(typename Agent::accumulator const& acc, typename Agent::shared& s,
                         std::uint64_t n, Results* out) const {
    if constexpr (sizeof...(At) == 1)
      return agent.finish(acc, s, n, &get<At...>(*out));
    else
      return agent.finish(acc, s, n, joint_results<Results, At...>{out});
  }
};

// Several agents as one: each does what it does after the one before it.
template <class... Members>
struct joint_agent;

template <>
struct joint_agent<> {
  static constexpr int threads = 512, blocks_a_multiprocessor = 2;
  static constexpr bool loads_ahead = false, schedules_dynamically = false;
  static constexpr int words = 0, sums = 0, dynamic_bytes = 0;
  struct shared {};
  struct accumulator {};

  __device__ void start(accumulator&, shared&) const {}
  template <class Batch, class Index>
  __device__ void add(accumulator&, shared&, Batch const&, unsigned, Index) const {}
  template <class T>
  __device__ void add(accumulator&, shared&, T const&, std::uint64_t) const {}
  __device__ void close(accumulator&, shared&) const {}
  __device__ void publish(accumulator const&, shared&, mailbox const&) const {}
  __device__ void collect(accumulator&, shared&, mailbox const&, int) const {}
  template <class Results>
  __device__ bool finish(accumulator const&, shared&, std::uint64_t, Results*) const {
    return true;
  }
};

template <class Agent, std::size_t... At, class... Members>
struct joint_agent<joint_member<Agent, At...>, Members...> {
  using after = joint_agent<Members...>;
  static constexpr int threads = Agent::threads < after::threads ? Agent::threads : after::threads;
  static constexpr int blocks_a_multiprocessor =
      Agent::blocks_a_multiprocessor < after::blocks_a_multiprocessor
          ? Agent::blocks_a_multiprocessor
          : after::blocks_a_multiprocessor;
  static constexpr int words = Agent::words + after::words, sums = Agent::sums + after::sums;
  static constexpr bool loads_ahead = false, schedules_dynamically = false;
  // The dynamic shared memory of an agent is behind that of those after it.
  static constexpr int dynamic_bytes = Agent::dynamic_bytes + after::dynamic_bytes;
  struct shared {
    typename Agent::shared first;
    typename after::shared rest;
  };
  struct accumulator {
    typename Agent::accumulator first;
    typename after::accumulator rest;
  };

  joint_member<Agent, At...> first;
  after rest;

  __device__ void start(accumulator& acc, shared& s) const {
    first.agent.start(acc.first, s.first);
    rest.start(acc.rest, s.rest);
  }
  template <class Batch, class Index>
  __device__ void add(accumulator& acc, shared& s, Batch const& x, unsigned live,
                      Index index) const {
    rest.add(acc.rest, s.rest, x, live, index);
    Batch own = x;  // which the agent may change
    first.agent.add(acc.first, s.first, own, live, index);
  }
  template <class T>
  __device__ void add(accumulator& acc, shared& s, T const& x, std::uint64_t index) const {
    first.agent.add(acc.first, s.first, x, index);
    rest.add(acc.rest, s.rest, x, index);
  }
  __device__ void close(accumulator& acc, shared& s) const {
    first.agent.close(acc.first, s.first);
    rest.close(acc.rest, s.rest);
  }
  __device__ void publish(accumulator const& acc, shared& s, mailbox const& to) const {
    first.agent.publish(acc.first, s.first, to);
    rest.publish(acc.rest, s.rest, behind_first(to, int(gridDim.x) - 1));
  }
  __device__ void collect(accumulator& acc, shared& s, mailbox const& from, int blocks) const {
    first.agent.collect(acc.first, s.first, from, blocks);
    rest.collect(acc.rest, s.rest, behind_first(from, blocks), blocks);
  }
  template <class Results>
  __device__ bool finish(accumulator const& acc, shared& s, std::uint64_t n, Results* out) const {
    bool const found = first.finish(acc.first, s.first, n, out);
    return rest.finish(acc.rest, s.rest, n, out) && found;
  }

 private:
  __device__ static mailbox behind_first(mailbox const& c, int blocks) {
    return {c.words + blocks * Agent::words, c.sums ? c.sums + Agent::sums : nullptr, c.epoch};
  }
};

template <class A, class Joint>
struct all_together_agent : Joint {
  using element = typename A::element;
  using result = typename A::result;
};

struct results_as_they_are {
  template <class Lanes, class Result>
  static __device__ bool finish(Lanes const& lanes, typename Lanes::sum const& s, std::uint64_t n,
                                Result& out) {
    return lanes.finish(s, n, out);
  }
};
template <class A, class Joint>
  requires all_have_lanes<Joint>
struct lanes_for<all_together_agent<A, Joint>> {
  static auto make(Joint const& agent) {
    return make_lanes_of_several<typename A::element, typename A::result, results_as_they_are>(
        agent);
  }
};

// The list that bind_all() made pairs of.
template <class A>
auto list_of(A const& last) {
  return results<A>{last};
}
template <class A, class B>
auto list_of(detail::both<A, B> const& pair) {
  return [&]<class... Rest>(results<Rest...> const& rest) {
    return results<A, Rest...>{pair.first, rest};
  }(list_of(pair.second));
}

// Makes the joint_agent of the aggregates Ops: a common_moments_agent of those that can be had from
// the same totals, and an agent for each of the others.
template <class... Ops>
class joint_agent_maker {
  using list = results<Ops...>;
  template <std::size_t i>
  using op = std::tuple_element_t<i, list>;
  static constexpr std::size_t count = sizeof...(Ops);
  static constexpr bool has_common = (is_from_moments<Ops> + ...) > 1 &&
                                     ((is_moment<Ops> || floating<typename Ops::element>) || ...);
  static constexpr bool squares = (has_squares<Ops> || ...);

  list const& ops_;
  bool skips_nan_;

  template <std::size_t i>
  static constexpr bool in_common() {
    if constexpr (i < count)
      return has_common && is_from_moments<op<i>>;
    else
      return false;
  }
  template <class First, class... Rest>
  static joint_agent<First, Rest...> prepend(First const& first, joint_agent<Rest...> const& rest) {
    return {first, rest};
  }

  // The member for all that have their totals in common. It goes through the aggregates from i on;
  // those in common before them are `before`.
  template <std::size_t i, std::size_t... before>
  auto common() const {
    if constexpr (i < count) {
      if constexpr (in_common<i>())
        return common<i + 1, before..., i>();
      else
        return common<i + 1, before...>();
    } else {
      using agent = common_moments_agent<squares, op<before>...>;
      common_moments<squares, op<before>...> a;
      ((get<nth<before, before...>()>(a.all) = get<before>(ops_)), ...);
      return joint_member<agent, before...>{agent{{skips_nan_, a}}};
    }
  }
  // The position of i among `all`.
  template <std::size_t i, std::size_t... all>
  static constexpr std::size_t nth() {
    std::size_t at = 0;
    for (std::size_t const each : {all...}) {
      if (each == i) break;
      ++at;
    }
    return at;
  }
  // One chain will do: other members' additions go on while one of it is under way.
  template <class Agent>
  static Agent with_one_chain(Agent const& agent) {
    return agent;
  }
  template <class A, int chains>
  static plain_agent<A, 1> with_one_chain(plain_agent<A, chains> const& agent) {
    return {agent.skips_nan, agent.a};
  }
  // The agent with its dynamic shared memory behind that of those after it, in fewer columns where
  // not all have room otherwise.
  template <int Offset, class Agent>
  static auto at_offset(Agent const& agent) {
    if constexpr (Agent::dynamic_bytes == 0 || (Offset == 0 && columns == warp_size))
      return agent;
    else
      return typename agent_at_offset<Agent, Offset, columns>::type{agent.skips_nan, agent.a};
  }
  template <std::size_t i>
  static constexpr int bytes_with(int columns) {
    if constexpr (in_common<i>()) {
      return 0;
    } else {
      using agent = decltype(make_agent(std::declval<op<i> const&>(), false));
      return int(sizeof(typename agent::shared)) + agent::dynamic_bytes * columns / warp_size;
    }
  }
  static constexpr int columns = []<std::size_t... i>(std::index_sequence<i...>) {
    constexpr int room = 98 << 10;  // of a block on every device from compute capability 8.0 on
    int fit = warp_size;
    while (fit > 1 && (bytes_with<i>(fit) + ...) > room) fit /= 2;
    return fit;
  }(std::make_index_sequence<count>());
  // The joint_agent of the aggregates from i on that are not in common, each with its own agent.
  template <std::size_t i>
  auto apart() const {
    if constexpr (i == count) {
      return joint_agent<>{};
    } else if constexpr (in_common<i>()) {
      return apart<i + 1>();
    } else {
      auto const rest = apart<i + 1>();
      auto const agent = at_offset<decltype(rest)::dynamic_bytes>(
          with_one_chain(make_agent(get<i>(ops_), skips_nan_)));
      return prepend(joint_member<std::remove_const_t<decltype(agent)>, i>{agent}, rest);
    }
  }

 public:
  joint_agent_maker(list const& ops, bool skips_nan) : ops_(ops), skips_nan_(skips_nan) {}
  auto make() const {
    if constexpr (has_common) {
      auto const rest = apart<0>();
      static_assert(decltype(rest)::dynamic_bytes == 0);  // all sums are in common
      return prepend(common<0>(), rest);
    } else {
      return apart<0>();
    }
  }
};

template <class... Ops>
auto make_joint_agent(results<Ops...> const& ops, bool skips_nan) {
  return joint_agent_maker<Ops...>(ops, skips_nan).make();
}

template <aggregate A, aggregate B>
struct agent_for<detail::both<A, B>> {
  static auto make(detail::both<A, B> const& pair, bool skips_nan) {
    auto const joint = make_joint_agent(list_of(pair), skips_nan);
    return all_together_agent<detail::both<A, B>, std::remove_const_t<decltype(joint)>>{joint};
  }
};

}  // namespace tally::device
