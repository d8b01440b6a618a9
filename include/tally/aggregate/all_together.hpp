// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tuple>

#include "tally/aggregate/aggregate.hpp"
#include "tally/aggregate/results.hpp"

namespace tally {
namespace detail {

template <class A, class B>
struct paired {
  A a;
  B b;
};

template <class A, class B>
struct both;

// The results of the pairs that bind_all() makes, one after the other.
template <class A, class B>
struct listed {
  using type = results<typename A::result, typename B::result>;
};
template <class A, class B, class C>
struct listed<A, both<B, C>> {
  template <class... Rs>
  static auto after(results<Rs...>) -> results<typename A::result, Rs...>;
  using type = decltype(after(std::declval<typename listed<B, C>::type>()));
};

// Two aggregates over the same elements in one read. The pair takes any order if both do.
template <class A, class B>
struct both {
  using first_type = A;
  using second_type = B;
  using state = paired<typename A::state, typename B::state>;
  using result = typename listed<A, B>::type;
  using element = typename A::element;
  static constexpr bool any_order = A::any_order && B::any_order;
  static constexpr char const* name = name_of<A>();
  A first;
  B second;

  auto make_parts() const {
    return both<parts_type<A>, parts_type<B>>{parts_of(first), parts_of(second)};
  }
  TALLY_HD state identity() const
    requires(has_identity<A> && has_identity<B>)
  {
    return {first.identity(), second.identity()};
  }
  TALLY_FN state lift(element x, std::uint64_t i) const {
    return {first.lift(x, i), second.lift(x, i)};
  }
  TALLY_FN state combine(state const& s, state const& t) const {
    return {first.combine(s.a, t.a), second.combine(s.b, t.b)};
  }
  TALLY_HD result lower(state const& s) const {
    if constexpr (std::is_same_v<decltype(result{}.rest), typename B::result>)
      return {first.lower(s.a), second.lower(s.b)};
    else
      return {first.lower(s.a), {second.lower(s.b)}};
  }
  TALLY_HD bool empty(state const& s) const {
    return is_empty(first, s.a) || is_empty(second, s.b);
  }
  void require(state const& s) const {
    require_elements(first, s.a);
    require_elements(second, s.b);
  }
  // What the aggregate P would know of the same elements.
  template <class P>
  static typename P::state part(state const& s) {
    if constexpr (std::is_same_v<P, A>)
      return s.a;
    else if constexpr (std::is_same_v<P, B>)
      return s.b;
    else
      return A::template part<P>(s.a);
  }
  template <aggregate P>
  static TALLY_HD bool is_empty(P const& part, typename P::state const& s) {
    if constexpr (requires { part.empty(s); })
      return part.empty(s);
    else
      return false;
  }
  static void shift(state& s, std::int64_t by) {
    if constexpr (requires { A::shift(s.a, by); }) A::shift(s.a, by);
    if constexpr (requires { B::shift(s.b, by); }) B::shift(s.b, by);
  }
  static void write(auto& out, state const& s) {
    A::write(out, s.a);
    B::write(out, s.b);
  }
  static state read(auto& in) {
    auto const a = A::read(in);
    return {a, B::read(in)};
  }
};

template <class T, class Op, class... Rest>
auto bind_all(Op const& op, Rest const&... rest) {
  auto const bound = bind_reduce<T>(op);
  if constexpr (sizeof...(Rest) == 0)
    return bound;
  else {
    auto const others = bind_all<T>(rest...);
    return both<std::remove_cv_t<decltype(bound)>, std::remove_cv_t<decltype(others)>>{bound,
                                                                                       others};
  }
}

}  // namespace detail

// Several aggregates in one read; the results are theirs, in their order:
//   auto [total, ends] = tally::reduce(here, x, tally::all_together(tally::sum{},
//   tally::min_max{}));
template <class... Ops>
struct joint {
  std::tuple<Ops...> ops;

  template <class T>
  auto on() const {
    return std::apply([](auto const&... op) { return detail::bind_all<T>(op...); }, ops);
  }
};

template <class... Ops>
  requires(sizeof...(Ops) >= 2)
joint<Ops...> all_together(Ops... ops) {
  return {{ops...}};
}

}  // namespace tally
