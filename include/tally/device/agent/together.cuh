// SPDX-License-Identifier: Apache-2.0
//
// How blocks compute several aggregates in one read: the agent of all_together(). Those of sums and
// squares have their totals in common.
#pragma once

#include "tally/aggregate/all_together.hpp"
#include "tally/device/agent/joint_moments.cuh"
#include "tally/device/agent/sum.cuh"

namespace tally::device {

// Some of a list of results, for an agent that fills several.
template <class Results, std::size_t... At>
struct chosen {
  Results* all;
  template <std::size_t k>
  __device__ auto* at() const {
    constexpr std::size_t i[] = {At...};
    return &get<i[k]>(*all);
  }
};

// An agent, and which of the results it gives.
template <class Agent, std::size_t... At>
struct part {
  Agent agent;

  template <class Results>
  __device__ bool finish(typename Agent::accumulator const& acc, typename Agent::shared& s,
                         std::uint64_t n, Results* out) const {
    if constexpr (sizeof...(At) == 1)
      return agent.finish(acc, s, n, &get<At...>(*out));
    else
      return agent.finish(acc, s, n, chosen<Results, At...>{out});
  }
};

// Several agents as one: each does what it does after the one before it.
template <class... Parts>
struct chain;

template <>
struct chain<> {
  static constexpr int threads = 512, blocks_a_multiprocessor = 2;
  static constexpr bool loads_ahead = false, draws_tiles = false;
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

template <class Agent, std::size_t... At, class... Parts>
struct chain<part<Agent, At...>, Parts...> {
  using after = chain<Parts...>;
  static constexpr int threads = Agent::threads < after::threads ? Agent::threads : after::threads;
  static constexpr int blocks_a_multiprocessor =
      Agent::blocks_a_multiprocessor < after::blocks_a_multiprocessor
          ? Agent::blocks_a_multiprocessor
          : after::blocks_a_multiprocessor;
  static constexpr int words = Agent::words + after::words, sums = Agent::sums + after::sums;
  static constexpr bool loads_ahead = false, draws_tiles = false;
  // An agent's is behind that of those after it.
  static constexpr int dynamic_bytes = Agent::dynamic_bytes + after::dynamic_bytes;
  struct shared {
    typename Agent::shared first;
    typename after::shared rest;
  };
  struct accumulator {
    typename Agent::accumulator first;
    typename after::accumulator rest;
  };

  part<Agent, At...> first;
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

template <class A, class Chain>
struct together_agent : Chain {
  using element = typename A::element;
  using result = typename A::result;
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

// The chain for the aggregates Ops.
template <class... Ops>
class chain_maker {
  using list = results<Ops...>;
  template <std::size_t i>
  using op = std::tuple_element_t<i, list>;
  static constexpr std::size_t count = sizeof...(Ops);
  static constexpr bool joins = (is_from_moments<Ops> + ...) > 1 &&
                                ((is_moment<Ops> || floating<typename Ops::element>) || ...);
  static constexpr bool squares = (has_squares<Ops> || ...);

  list const& ops_;
  bool skips_nan_;

  template <std::size_t i>
  static constexpr bool joined() {
    if constexpr (i < count)
      return joins && is_from_moments<op<i>>;
    else
      return false;
  }
  template <class First, class... Rest>
  static chain<First, Rest...> join(First const& first, chain<Rest...> const& rest) {
    return {first, rest};
  }

  // The joined ones from i on, the first of all having been found.
  template <std::size_t i, std::size_t... before>
  auto joint() const {
    if constexpr (i < count) {
      if constexpr (joined<i>())
        return joint<i + 1, before..., i>();
      else
        return joint<i + 1, before...>();
    } else {
      using agent = joint_moments_agent<squares, op<before>...>;
      joint_moments<squares, op<before>...> a;
      ((get<nth<before, before...>()>(a.all) = get<before>(ops_)), ...);
      return part<agent, before...>{agent{{skips_nan_, a}}};
    }
  }
  // Which of `all` is `i`.
  template <std::size_t i, std::size_t... all>
  static constexpr std::size_t nth() {
    std::size_t at = 0;
    for (std::size_t const each : {all...}) {
      if (each == i) break;
      ++at;
    }
    return at;
  }
  // Others are being added up while an addition of one is under way.
  template <class Agent>
  static Agent slender(Agent const& agent) {
    return agent;
  }
  template <class A, int chains>
  static plain_agent<A, 1> slender(plain_agent<A, chains> const& agent) {
    return {agent.skips_nan, agent.a};
  }
  // And its dynamic shared memory is behind so many bytes of theirs: in fewer columns where not all
  // have room otherwise.
  template <int Bytes, class Agent>
  static auto behind(Agent const& agent) {
    if constexpr (Agent::dynamic_bytes == 0 || (Bytes == 0 && columns == warp_size))
      return agent;
    else
      return typename agent_behind<Agent, Bytes, columns>::type{agent.skips_nan, agent.a};
  }
  template <std::size_t i>
  static constexpr int bytes_with(int columns) {
    if constexpr (joined<i>()) {
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
  // The others, each with an agent of its own.
  template <std::size_t i>
  auto apart() const {
    if constexpr (i == count) {
      return chain<>{};
    } else if constexpr (joined<i>()) {
      return apart<i + 1>();
    } else {
      auto const rest = apart<i + 1>();
      auto const agent =
          behind<decltype(rest)::dynamic_bytes>(slender(make_agent(get<i>(ops_), skips_nan_)));
      return join(part<std::remove_const_t<decltype(agent)>, i>{agent}, rest);
    }
  }

 public:
  chain_maker(list const& ops, bool skips_nan) : ops_(ops), skips_nan_(skips_nan) {}
  auto make() const {
    if constexpr (joins) {
      auto const rest = apart<0>();
      static_assert(decltype(rest)::dynamic_bytes == 0);  // all sums are joined
      return join(joint<0>(), rest);
    } else {
      return apart<0>();
    }
  }
};

template <class... Ops>
auto make_chain(results<Ops...> const& ops, bool skips_nan) {
  return chain_maker<Ops...>(ops, skips_nan).make();
}

template <aggregate A, aggregate B>
struct agent_for<detail::both<A, B>> {
  static auto make(detail::both<A, B> const& pair, bool skips_nan) {
    auto const chain = make_chain(list_of(pair), skips_nan);
    return together_agent<detail::both<A, B>, std::remove_const_t<decltype(chain)>>{chain};
  }
};

}  // namespace tally::device
