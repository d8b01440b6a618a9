// SPDX-License-Identifier: Apache-2.0
//
// The k best elements and where they are: exactly what a stable sort would put first.
#pragma once

#include "tally/cpu/selections.hpp"
#include "tally/known_elements.hpp"
#include "tally/payload.hpp"
#include "tally/where.hpp"

namespace tally {
namespace detail {

template <class T, class U>
inline constexpr bool counts_as_same = std::is_same_v<counts_as<T>, counts_as<U>>;

template <class In>
concept selectable = sortable<keys_of<In>>;
template <class In>
concept selectable_rows = is_rows<keys_of<In>>;

// A k for each row, or for an array.
template <class In>
auto k_for(std::uint64_t k) {
  if constexpr (selectable_rows<In>)
    return k_of_rows{nullptr, k};
  else
    return k;
}

template <class Where, class In, class K>
auto best(Where& where, In const& in, K const& k, top_k_options const& options) {
  require_element<counts_as<given_element<In>>>();
  settled_memory<given_element<In>> const during;
  return calls_on<selections_on, Where>::best(where, known_elements("top_k", in), k, options);
}

// `second` takes indices, or entries of the payload.
template <class Where, class In, class K, class Values, class Second>
auto best_into(Where& where, In const& in, K const& k, Values& values, Second& second,
               std::uint64_t* counts, top_k_options const& options) {
  using T = given_element<In>;
  require_element<counts_as<T>>();
  static_assert(counts_as_same<value_of<Values>, T>,
                "top_k_into: values holds another type than the elements'");
  if constexpr (has_payload<In>)
    static_assert(counts_as_same<value_of<Second>, value_of<decltype(in.payload)>>,
                  "top_k_into: chosen holds another type than the payload's");
  constexpr char const* call = "top_k_into";
  constexpr char const* name = selected<In>::beside;
  if constexpr (selectable_rows<In>)
    calls_on<arguments_on, Where>::require(where, [&] {
      auto const places = keys_in(in).count * k.most;
      require_room_for_top_k(places, std::size(values), std::size(second), name);
    });
  auto const best = elements_in(span_of(call, "values", values));
  auto const beside = elements_in(span_of(call, name, second));
  auto const& known = known_elements(call, in);
  settled_memory<T, value_of<Values>, value_of<Second>> const during;
  return calls_on<selections_on, Where>::into(where, known, k, best, beside, counts, options);
}

}  // namespace detail

// The k best elements of `in`, an array or an input (transform.hpp), copied bit for bit, for k from
// 0 to in.size(). Ties go to the lower index. All NaNs are equal, and larger than +inf; -0.0 equals
// +0.0. Skipped NaNs and `distinct` can leave fewer than k. Extra memory on cores: at most 15 % of
// an array's bytes, and about a megabyte a thread.
//
// Of rows (rows.hpp) those of each, for any k, or one of its own: a row that has fewer is filled up
// with the index -1 and NaN, or 0 where there is none. Indices count from the row's begin.
template <execution Where, detail::sortable In>
auto top_k(Where&& where, In const& in, std::uint64_t k, top_k_options options = {}) {
  return detail::best(where, in, detail::k_for<In>(k), options);
}
template <execution Where, class T>
auto top_k(Where&& where, rows<T> const& in, k_of_rows k, top_k_options options = {}) {
  return detail::best(where, in, k, options);
}

// The same, into the front of `values` and `indices` (of 64 bits or of 32), which have room for k
// and are apart from `in`; *count (or null) takes how many. On cores and by best() it returns how
// many, too. On a gpu it is asynchronous, and all memory is the gpu's. Of rows, into
// values[r * k + i] and indices[r * k + i]; counts[r] takes how many.
//
// Of keys with a payload (payload.hpp) `indices` takes what belongs to each of the best, in place
// of its index. Where fewer than k are found, the others' places get zero bytes.
template <execution Where, detail::selectable In, detail::contiguous Values,
          detail::contiguous Indices>
auto top_k_into(Where&& where, In const& in, std::uint64_t k, Values&& values, Indices&& indices,
                std::uint64_t* count, top_k_options options = {}) {
  return detail::best_into(where, in, detail::k_for<In>(k), values, indices, count, options);
}
template <execution Where, detail::selectable In, detail::contiguous Values,
          detail::contiguous Indices>
  requires(!detail::selectable_rows<In>)
auto top_k_into(Where&& where, In const& in, std::uint64_t k, Values&& values, Indices&& indices,
                top_k_options options = {}) {
  return detail::best_into(where, in, k, values, indices, nullptr, options);
}
template <execution Where, detail::selectable_rows In, detail::contiguous Values,
          detail::contiguous Indices>
void top_k_into(Where&& where, In const& in, k_of_rows k, Values&& values, Indices&& indices,
                std::uint64_t* counts, top_k_options options = {}) {
  detail::best_into(where, in, k, values, indices, counts, options);
}

}  // namespace tally
