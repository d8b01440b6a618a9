// SPDX-License-Identifier: Apache-2.0
//
// States (state.hpp) as ranks tell them to each other.
#pragma once

#include <cstring>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tally/aggregate/packed.hpp"
#include "tally/state.hpp"

namespace tally::detail {

// What has no form as bytes is told as it is in memory: the ranks are one program. That is only of
// aggregates of users' own, for which cpu_operators.hpp has this:
template <aggregate A>
class running_of;

template <class T>
void put_memory(byte_writer& out, T const& x) {
  static_assert(std::is_trivially_copyable_v<T>);
  out.put(std::string_view(reinterpret_cast<char const*>(&x), sizeof x));
}
template <class T>
T get_memory(byte_reader& in) {
  auto const bytes = in.get_text();
  T x;
  std::memcpy(&x, bytes.data(), sizeof x);
  return x;
}

template <aggregate A>
void put_memory(byte_writer& out, state_partial<A> const& known) {
  put_memory(out, known.value);
}
template <aggregate A>
void put_memory(byte_writer& out, tree_partial<A> const& known) {
  out.put(std::uint32_t(known.nodes.size()));
  for (auto const& n : known.nodes) put_memory(out, n);
}
template <aggregate A>
void get_memory(byte_reader& in, state_partial<A>& known) {
  known.value = get_memory<typename A::state>(in);
}
template <aggregate A>
void get_memory(byte_reader& in, tree_partial<A>& known) {
  known.nodes.resize(in.get<std::uint32_t>());
  for (auto& n : known.nodes) n = get_memory<typename tree_partial<A>::node>(in);
}

template <class Op, class T>
void tell(byte_writer& out, state<Op, T> const& s) {
  if constexpr (saves_states<Op, T>::value) {
    s.write(out);
  } else {
    using P = parts_type<typename saves_states<Op, T>::bound>;
    out.put(s.first()), out.put(s.count());
    put_memory(out, static_cast<running_of<P> const&>(*s.run().known).found());
  }
}
template <class... Ops, class T>
void tell(byte_writer& out, state<joint<Ops...>, T> const& s) {
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    (tell(out, s.template get<i>()), ...);
  }(std::index_sequence_for<Ops...>{});
}

// A State that was told.
template <class State>
struct heard;
template <class Op, class T>
struct heard<state<Op, T>> {
  static state<Op, T> from(byte_reader& in, Op const& op) {
    state<Op, T> s(op);
    if constexpr (saves_states<Op, T>::value) {
      s.read(in);
      return s;
    } else {
      auto const parts = parts_of(bind_reduce<T>(op));
      using P = std::remove_const_t<decltype(parts)>;
      auto const first = in.get<std::uint64_t>(), count = in.get<std::uint64_t>();
      partial<P> known(parts);
      get_memory(in, known);
      owner<running<T>> run = make_owner<running_of<P>>(parts, known);
      return {op, {std::move(run), first, count}};
    }
  }
};
template <class... Ops, class T>
struct heard<state<joint<Ops...>, T>> {
  static state<joint<Ops...>, T> from(byte_reader& in, joint<Ops...> const& op) {
    return std::apply(
        [&](auto const&... one) {
          // In braces, which are evaluated in their order.
          return std::make_from_tuple<state<joint<Ops...>, T>>(
              std::tuple_cat(std::tuple(op),
                             std::tuple<state<Ops, T>...>{heard<state<Ops, T>>::from(in, one)...}));
        },
        op.ops);
  }
};

// Whether what is known depends on where the elements are in the array, beyond what state::move_to
// changes: that of ordered aggregates does, and that of one's own may.
template <class Op>
inline constexpr bool may_look_at_places = aggregate<Op>;
template <class... Ops>
inline constexpr bool may_look_at_places<joint<Ops...>> = (may_look_at_places<Ops> || ...);

}  // namespace tally::detail
