// SPDX-License-Identifier: Apache-2.0
//
// What results that a GPU gives tell of a state. An aggregate says which results, and what they
// tell (aggregate.hpp). One whose order matters is asked for each node of the aligned tree that the
// elements make: the tree over a node's elements is the node's, wherever it begins.
#pragma once

#include <algorithm>
#include <tuple>
#include <vector>

#include "tally/aggregate/packed.hpp"
#include "tally/gpu/allocation.hpp"
#include "tally/gpu/reduce.hpp"
#include "tally/row_inputs.hpp"

namespace tally::detail {

// What a call names to have the state itself.
template <class Op, class T>
struct state_itself {
  using type = known_by<Op>;
  static type make(Op const& op, std::uint64_t) { return {op}; }
};
template <aggregate Op, class T>  // one of users' own, which may use the elements' places
struct state_itself<Op, T> {
  using type = as_known<parts_type<Op>>;
  static type make(Op const& op, std::uint64_t first) { return {parts_of(op), first}; }
};
template <class Op, class T>
concept is_own_state =
    std::is_same_v<typename decltype(bind_reduce<T>(std::declval<Op>()))::state,
                   typename decltype(bind_reduce<T>(std::declval<Op>()))::result>;
template <class Op, class T>
  requires(!aggregate<Op> && is_own_state<Op, T>)
struct state_itself<Op, T> {
  using type = Op;
  static type make(Op const& op, std::uint64_t) { return op; }
};

// What A, to which `Op` is bound, is told by.
template <class Op, class A>
struct asked_for {
  using type = asked<typename state_itself<Op, typename A::element>::type>;
};
template <class Op, class A>
  requires requires { typename A::told_by; }
struct asked_for<Op, A> {
  using type = typename A::told_by;
};

template <class Asked, class Op, class T>
auto question(Op const& op, std::uint64_t first) {
  using itself = state_itself<Op, T>;
  if constexpr (std::is_same_v<Asked, typename itself::type>)
    return itself::make(op, first);
  else
    return Asked{};
}
template <class A, class... Results>
typename A::state told(std::uint64_t n, Results const&... results) {
  if constexpr (requires { A::told(results..., n); })
    return A::told(results..., n);
  else
    return (results, ...);
}

// The elements [first, first + count) of an input.
template <class T>
array_input<T> part_of(array_input<T> const& in, std::uint64_t first, std::uint64_t count) {
  return {in.data + first, count};
}
template <input In, class F>
auto part_of(transform_input<In, F> const& in, std::uint64_t first, std::uint64_t count);
template <input A, input B>
zip_input<A, B> part_of(zip_input<A, B> const& in, std::uint64_t first, std::uint64_t count) {
  return {part_of(in.first, first, count), part_of(in.second, first, count)};
}
template <input In, class F>
auto part_of(transform_input<In, F> const& in, std::uint64_t first, std::uint64_t count) {
  return transform_input<In, F>{part_of(in.in, first, count), in.f};
}

// What `Op` of elements of In knows, and how a GPU is asked for it. All are called where somebody
// has entered the context.
template <class Op, class In>
class told_on_gpu {
  using T = typename In::element;
  using A = decltype(bind_reduce<T>(std::declval<Op const&>()));
  using P = parts_type<A>;

 public:
  static partial<P> array(gpu_context& there, Op const& op, nan_policy nan, In const& in,
                          std::uint64_t first) {
    partial<P> known(parts_of(bind_reduce<T>(op)));
    if (in.size() == 0) return known;
    if constexpr (takes_any_order<P>) {
      known.value = state_of_array(there, op, nan, in, first, typename asked_for<Op, A>::type{});
      if constexpr (!aggregate<Op>) known.shift(std::int64_t(first));
    } else {
      add_nodes(there, op, nan, in, first, known);
    }
    return known;
  }

 private:
  template <class R>
  struct answer {
    R value;
    bool found;
  };
  template <class O>
  using answer_of = answer<typename gpu_reduction_of<O, In>::result>;

  template <class... Ops>
  static typename P::state state_of_array(gpu_context& there, Op const& op, nan_policy nan,
                                          In const& in, std::uint64_t first, asked<Ops...>) {
    constexpr std::size_t unit = 64;
    constexpr auto round_up = [](std::size_t bytes) { return (bytes + unit - 1) / unit * unit; };
    auto* at = static_cast<std::byte*>(there.result_slot((round_up(sizeof(answer_of<Ops>)) + ...)));
    auto const ask = [&]<class O>(std::type_identity<O>) {
      auto* const to = reinterpret_cast<answer_of<O>*>(at);
      at += round_up(sizeof *to);
      gpu_reduction_of<O, In>::start(there, question<O, Op, T>(op, first), nan, in, &to->value,
                                     &to->found);
      return to;
    };
    std::tuple const answers{ask(std::type_identity<Ops>{})...};  // in their order
    there.synchronise();
    if (!std::get<0>(answers)->found) return parts_of(bind_reduce<T>(op)).identity();
    return std::apply([&](auto*... each) { return told<A>(in.size(), each->value...); }, answers);
  }

  static void add_nodes(gpu_context& there, Op const& op, nan_policy nan, In const& in,
                        std::uint64_t first, partial<P>& known) {
    using O = typename state_itself<Op, T>::type;
    for_nodes(first, in.size(),
              [&](std::uint64_t begin, int level) { known.nodes.push_back({begin, level, {}}); });
    auto* const to =
        static_cast<answer_of<O>*>(there.result_slot(known.nodes.size() * sizeof(answer_of<O>)));
    for (std::size_t i = 0; i < known.nodes.size(); ++i) {
      auto const& n = known.nodes[i];
      auto const part = part_of(in, n.first - first, std::uint64_t(1) << n.level);
      gpu_reduction_of<O, In>::start(there, question<O, Op, T>(op, n.first), nan, part,
                                     &to[i].value, &to[i].found);
    }
    there.synchronise();
    for (std::size_t i = 0; i < known.nodes.size(); ++i)
      known.nodes[i].value = {to[i].value, to[i].found};
  }
};

}  // namespace tally::detail
