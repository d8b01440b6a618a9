// SPDX-License-Identifier: Apache-2.0
//
// What a caller has beside each element, its payload: a selection gives that of the best, in place
// of their indices.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include "tally/error.hpp"
#include "tally/input.hpp"
#include "tally/rows.hpp"

namespace tally {

// What entries of a payload may be, ids or small structs: they are copied byte for byte.
template <class P>
concept payload_entry =
    std::is_trivially_copyable_v<P> &&
    (sizeof(P) == 1 || sizeof(P) == 2 || sizeof(P) == 4 || sizeof(P) == 8 || sizeof(P) == 16);

// Keys, which are an array, an input or rows, and an array of their payload. Owns neither.
template <class Keys, class Entries>
struct keys_with_payload {
  Keys keys;
  Entries payload;
};
template <class Keys, class Entries>
keys_with_payload(Keys, Entries) -> keys_with_payload<Keys, Entries>;

namespace detail {

// An array, an input (transform.hpp), or rows (rows.hpp): each row is then a problem of its own.
template <class In>
concept sortable = is_rows<In> || readable<In>;

// Keys by themselves, or what has them; `beside` is what results beside the best are called.
template <class In>
struct selected {
  using keys = In;
  static constexpr char const* beside = "indices";
};
template <class Keys, class Entries>
struct selected<keys_with_payload<Keys, Entries>> {
  using keys = Keys;
  static constexpr char const* beside = "chosen";
};
template <class In>
using keys_of = typename selected<In>::keys;
template <class In>
inline constexpr bool has_payload = !std::is_same_v<keys_of<In>, In>;
template <class In>
auto const& keys_in(In const& in) {
  if constexpr (has_payload<In>)
    return in.keys;
  else
    return in;
}

template <class Keys>
struct given {
  using element = element_of<Keys>;
};
template <class Rows>
  requires is_rows<Rows>
struct given<Rows> {
  using element = typename Rows::element;
};
template <class In>
using given_element = typename given<keys_of<In>>::element;

template <contiguous Entries>
auto view_of_payload(Entries const& payload) {
  static_assert(payload_entry<value_of<Entries>>,
                "with_payload: an entry is trivially copyable, and of 1, 2, 4, 8 or 16 bytes");
  auto const all = view_of("with_payload", "payload", payload);
  require_aligned("with_payload", "payload", std::span(all.data(), all.size()));
  return all;
}

}  // namespace detail

// with_payload(keys, payload): entry i of the payload belongs to element i of the keys, an array or
// an input. Both must outlive it, and lie where the call runs.
//
//   tally::top_k_into(here, tally::with_payload(scores, ids), 10, values, chosen)
template <detail::readable Keys, detail::contiguous Entries>
auto with_payload(Keys const& keys, Entries const& payload) {
  auto const n = detail::input_of("with_payload", "keys", keys).size();
  auto const entries = detail::view_of_payload(payload);
  if (entries.size() != n)
    throw error("with_payload: payload has " + std::to_string(entries.size()) + " entries for " +
                std::to_string(n) + " elements");
  return keys_with_payload{detail::view_of("with_payload", "keys", keys), entries};
}

// The payload of rows begins where their data do, and lies as they do (row_layout).
template <class T, detail::contiguous Entries>
auto with_payload(rows<T> const& keys, Entries const& payload) {
  auto const n = keys.starts || keys.lengths ? 0 : keys.end();
  auto const entries = detail::view_of_payload(payload);
  if (entries.size() < n)
    throw error("with_payload: payload has " + std::to_string(entries.size()) +
                " entries, where the rows end at " + std::to_string(n));
  return keys_with_payload{rows<T>(keys), entries};
}

}  // namespace tally
