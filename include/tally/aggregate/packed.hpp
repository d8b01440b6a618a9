// SPDX-License-Identifier: Apache-2.0
//
// What is known of a run (partial.hpp) for one aggregate, as few bytes, of which there is one form
// of each value.
#pragma once

#include <bit>
#include <string>

#include "tally/aggregate/partial.hpp"

namespace tally::detail {

template <class A>
concept packs_states = requires(byte_writer& out, typename A::state const& s) { A::pack(out, s); };
template <class A>
concept unpacks_states = requires(byte_reader& in) {
  { A::unpack(in) } -> std::same_as<typename A::state>;
};
template <class A>
concept writes_states = requires(byte_writer& out, byte_reader& in, typename A::state const& s) {
  A::write(out, s);
  A::read(in);
};

template <aggregate A>
error not_saved() {
  return error(std::string(name_of<A>()) + ": the aggregate cannot write and read its states");
}

template <aggregate A>
void pack_state(byte_writer& out, typename A::state const& s) {
  if constexpr (packs_states<A>)
    A::pack(out, s);
  else if constexpr (writes_states<A>)
    A::write(out, s);
  else
    throw not_saved<A>();
}
template <aggregate A>
typename A::state unpack_state(byte_reader& in) {
  if constexpr (unpacks_states<A>)
    return A::unpack(in);
  else if constexpr (writes_states<A>)
    return A::read(in);
  else
    throw not_saved<A>();
}

// Calls f(first, level) for the nodes of the aligned tree that `count` elements from `first` on
// make, in their order.
template <class F>
void for_nodes(std::uint64_t first, std::uint64_t count, F const& f) {
  while (count > 0) {
    int const aligned = first == 0 ? 63 : std::countr_zero(first);
    int const level = std::min(aligned, 63 - std::countl_zero(count));
    f(first, level);
    first += std::uint64_t(1) << level, count -= std::uint64_t(1) << level;
  }
}

// What A's results need of what its parts know.
template <aggregate A>
void pack(A const&, state_partial<parts_type<A>> const& known, byte_writer& out) {
  pack_state<A>(out, known.value);
}
// How many elements there are from which index on says which nodes the tree has (for_nodes). One
// without a value has the identity, and where there is none, says so.
template <aggregate A>
void pack(A const& a, tree_partial<parts_type<A>> const& known, byte_writer& out) {
  for (auto const& n : known.nodes) {
    if constexpr (!has_identity<A>) out.put(n.value.present);
    if (n.value.present) {
      pack_state<A>(out, n.value.value);
    } else if constexpr (has_identity<A>) {
      pack_state<A>(out, a.identity());
    }
  }
}

// Of a run of `count` elements from `first` on.
template <aggregate A>
void unpack(A const&, state_partial<parts_type<A>>& known, std::uint64_t, std::uint64_t,
            byte_reader& in) {
  known.value = unpack_state<A>(in);
}
template <aggregate A>
void unpack(A const&, tree_partial<parts_type<A>>& known, std::uint64_t first, std::uint64_t count,
            byte_reader& in) {
  for_nodes(first, count, [&](std::uint64_t begin, int level) {
    maybe<typename A::state> value{{}, true};
    if constexpr (!has_identity<A>) value.present = in.get<bool>();
    if (value.present) value.value = unpack_state<A>(in);
    known.nodes.push_back({begin, level, value});
  });
}

// As the aggregate A of elements that begin at the index `by`, but what is known is the result.
template <aggregate A>
struct as_known : A {
  using result = typename A::state;
  using parts = as_known;
  std::uint64_t by = 0;

  as_known() = default;
  as_known(A const& a, std::uint64_t from) : A(a), by(from) {}
  template <class X>
  TALLY_FN auto lift(X const& x, std::uint64_t i) const
      -> decltype(std::declval<A const&>().lift(x, i)) {
    return A::lift(x, by + i);
  }
  TALLY_FN result lower(typename A::state const& s) const { return s; }
};

}  // namespace tally::detail

namespace tally {

// The state itself of what `Op` names, where nothing else tells it: of fast sums of float16, say.
template <class Op>
struct known_by {
  static constexpr char const* name = Op::name;
  template <class T>
  using bound =
      detail::as_known<detail::parts_type<decltype(std::declval<Op const&>().template on<T>())>>;
  template <class T>
  using result = typename bound<T>::state;
  Op op;

  template <class T>
  auto on() const {
    return bound<T>(detail::parts_of(op.template on<T>()), 0);
  }
};

}  // namespace tally
