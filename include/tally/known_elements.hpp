// SPDX-License-Identifier: Apache-2.0
//
// Arrays and inputs whose elements count as Tally's (types.hpp), for calls that know element types:
// an array is read and written as if it were of those, and what is computed is converted. Operators
// of users' own get the elements that are there.
#pragma once

#include <span>
#include <type_traits>

#include "tally/aggregate/aggregate.hpp"
#include "tally/aggregate/zipped.hpp"
#include "tally/input.hpp"

namespace tally {

template <input In, class F>
struct transform_input;  // transform.hpp
template <input A, input B>
struct zip_input;  // zip.hpp
template <class T>
struct rows;  // rows.hpp
template <class Keys, class Entries>
struct keys_with_payload;  // payload.hpp
template <class... Ops>
struct joint;  // aggregate/all_together.hpp

namespace detail {

template <class T>
inline constexpr bool is_known = std::is_same_v<T, counts_as<T>>;

template <input A, input B>
auto known_input(zip_input<A, B> const& in);
template <class T>
array_input<counts_as<T>> known_input(array_input<T> const& in) {
  return {elements_in(std::span(in.data, std::size_t(in.count))).data(), in.count};
}
template <input In>
auto known_input(In const& in) {
  if constexpr (is_known<typename In::element>) {
    return in;
  } else {
    static_assert(
        requires { sizeof(transform_input<In, as_counted>); },
        "include <tally/transform.hpp>, for elements that count as others");
    return transform_input<In, as_counted>{in, {}};
  }
}
template <input A, input B>
auto known_input(zip_input<A, B> const& in) {
  return zip_input<decltype(known_input(in.first)), decltype(known_input(in.second))>{
      known_input(in.first), known_input(in.second)};
}

// `in`, an array or an input, with elements of Tally's: itself, if it has such.
template <readable R>
decltype(auto) known_elements(char const* call, R const& in) {
  if constexpr (is_known<element_of<R>>) {
    return (in);
  } else if constexpr (input<R>) {
    return known_input(in);
  } else {
    auto const all = view_of(call, "in", in);
    auto const known = elements_in(std::span(all.data(), all.size()));
    if constexpr (readable_here<R>)
      return known;
    else
      return array_elsewhere<counts_as<element_of<R>>>{known.data(), known.size()};
  }
}
template <class T>
auto known_elements(char const*, rows<T> const& in) {
  using known = counts_as<std::remove_const_t<T>>;
  require_element<known>();
  return rows<known const>{reinterpret_cast<known const*>(in.data), in};
}
template <class Keys, class Entries>
auto known_elements(char const* call, keys_with_payload<Keys, Entries> const& in) {
  auto const keys = known_elements(call, in.keys);
  auto const payload = known_elements(call, in.payload);
  return keys_with_payload<std::remove_const_t<decltype(keys)>,
                           std::remove_const_t<decltype(payload)>>{keys, payload};
}

// Of rows, in memory or computed.
template <class T>
auto known_rows(rows<T> const& in) {
  return known_elements("", in);
}
template <class R>
auto known_rows(R const& in) {
  return in.known();
}

// Whether it is for Op to be given elements of Tally's.
template <class Op, class T>
inline constexpr bool knows_elements = named_aggregate<Op, counts_as<T>>;
template <class... Ops, class T>
inline constexpr bool knows_elements<joint<Ops...>, T> = true;

// Whether the elements of an R are Ts, or count as such; and then R's as Ts.
template <class R, class T>
concept gives = std::is_same_v<element_of<R>, T> || std::is_same_v<counts_as<element_of<R>>, T>;
template <class T, gives<T> R>
decltype(auto) as_elements(char const* call, R const& in) {
  if constexpr (std::is_same_v<element_of<R>, T>)
    return (in);
  else
    return known_elements(call, in);
}

// `in` as Op takes it.
template <class Op, readable R>
decltype(auto) elements_for(char const* call, R const& in) {
  if constexpr (knows_elements<Op, element_of<R>>) {
    return known_elements(call, in);
  } else {
    using T = element_of<R>;
    if constexpr (!aggregate<Op> && !requires(Op const op) { op.template on<T>(); })
      require_operator<Op, T, T>();
    return (in);
  }
}

// What a call does to memory that has Ts stays between its begin and its end, if one of them is not
// what it counts as.
template <class... Ts>
struct settled_memory {
  settled_memory() { settle(); }
  settled_memory(settled_memory const&) = delete;
  ~settled_memory() { settle(); }

 private:
  static void settle() {
    if constexpr (!(is_known<Ts> && ...)) settle_memory();
  }
};

}  // namespace detail
}  // namespace tally
