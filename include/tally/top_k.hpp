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

// Elements are T; `second` takes indices or entries of the payload, and is called so in errors.
template <class T, class Where, class In, class K, class Values, class Second>
auto best_into(Where& where, In const& in, K const& k, Values& values, char const* name,
               Second& second, std::uint64_t* counts, top_k_options const& options) {
  static_assert(runs_on<selections_on, Where>, "include <tally/gpu.hpp>, or <tally/automatic.hpp>");
  require_element<counts_as<T>>();
  static_assert(counts_as_same<value_of<Values>, T>,
                "top_k_into: values holds another type than the elements'");
  constexpr char const* call = "top_k_into";
  auto const best = elements_in(span_of(call, "values", values));
  auto const beside = elements_in(span_of(call, name, second));
  auto const& known = known_elements(call, in);
  settled_memory<T, value_of<Values>, value_of<Second>> const during;
  if constexpr (std::is_same_v<K, k_of_rows>)
    calls_on<selections_on, Where>::rows_into(where, known, k, best, beside, counts, options);
  else
    return calls_on<selections_on, Where>::into(where, known, k, best, beside, counts, options);
}

}  // namespace detail

// The k best elements of `in`, an array or an input (transform.hpp), copied bit for bit, for k from
// 0 to in.size(). Ties go to the lower index. All NaNs are equal, and larger than +inf; -0.0 equals
// +0.0. Skipped NaNs and `distinct` can leave fewer than k. Extra memory on cores: at most 15 % of
// an array's bytes, and about a megabyte a thread.
template <execution Where, detail::readable R>
auto top_k(Where&& where, R const& in, std::uint64_t k, top_k_options options = {}) {
  static_assert(detail::runs_on<detail::selections_on, Where>,
                "include <tally/gpu.hpp>, or <tally/automatic.hpp>");
  detail::require_element<counts_as<detail::element_of<R>>>();
  detail::settled_memory<detail::element_of<R>> const during;
  return detail::calls_on<detail::selections_on, Where>::best(
      where, detail::known_elements("top_k", in), k, options);
}

// The same, into the front of `values` and `indices` (of 64 bits or of 32), which have room for k
// and are apart from `in`; *count (or null) takes how many. On cores and by best() it returns how
// many, too. On a gpu it is asynchronous, and all memory is the gpu's.
template <execution Where, detail::readable R, detail::contiguous Values,
          detail::contiguous Indices>
auto top_k_into(Where&& where, R const& in, std::uint64_t k, Values&& values, Indices&& indices,
                std::uint64_t* count, top_k_options options = {}) {
  return detail::best_into<detail::element_of<R>>(where, in, k, values, "indices", indices, count,
                                                  options);
}
template <execution Where, detail::readable R, detail::contiguous Values,
          detail::contiguous Indices>
auto top_k_into(Where&& where, R const& in, std::uint64_t k, Values&& values, Indices&& indices,
                top_k_options options = {}) {
  return top_k_into(where, in, k, values, indices, static_cast<std::uint64_t*>(nullptr), options);
}

// Of keys with a payload (payload.hpp): `chosen` takes what belongs to each of the best, in place
// of its index. Where fewer than k are found, the others' places get zero bytes.
template <execution Where, detail::readable R, class Entries, detail::contiguous Values,
          detail::contiguous Chosen>
auto top_k_into(Where&& where, keys_with_payload<R, Entries> const& in, std::uint64_t k,
                Values&& values, Chosen&& chosen, std::uint64_t* count,
                top_k_options options = {}) {
  static_assert(detail::counts_as_same<detail::value_of<Chosen>, detail::value_of<Entries>>,
                "top_k_into: chosen holds another type than the payload's");
  return detail::best_into<detail::element_of<R>>(where, in, k, values, "chosen", chosen, count,
                                                  options);
}
template <execution Where, detail::readable R, class Entries, detail::contiguous Values,
          detail::contiguous Chosen>
auto top_k_into(Where&& where, keys_with_payload<R, Entries> const& in, std::uint64_t k,
                Values&& values, Chosen&& chosen, top_k_options options = {}) {
  return top_k_into(where, in, k, values, chosen, static_cast<std::uint64_t*>(nullptr), options);
}

// Of each row (rows.hpp), for any k, or one of its own: a row that has fewer is filled up with the
// index -1 and NaN, or 0 where there is none. Indices count from the row's begin.
template <execution Where, class T>
auto top_k(Where&& where, rows<T> const& in, k_of_rows k, top_k_options options = {}) {
  static_assert(detail::runs_on<detail::selections_on, Where>,
                "include <tally/gpu.hpp>, or <tally/automatic.hpp>");
  return detail::calls_on<detail::selections_on, Where>::best_of_rows(
      where, detail::known_elements("top_k", in), k, options);
}
template <execution Where, class T>
auto top_k(Where&& where, rows<T> const& in, std::uint64_t k, top_k_options options = {}) {
  return top_k(where, in, k_of_rows{nullptr, k}, options);
}

// The same, into values[r * k + i] and indices[r * k + i]; counts[r] (or null) takes how many.
template <execution Where, class T, detail::contiguous Values, detail::contiguous Indices>
void top_k_into(Where&& where, rows<T> const& in, k_of_rows k, Values&& values, Indices&& indices,
                std::uint64_t* counts, top_k_options options = {}) {
  detail::require_room_for_top_k(in.count * k.most, std::size(values), std::size(indices));
  detail::best_into<std::remove_const_t<T>>(where, in, k, values, "indices", indices, counts,
                                            options);
}
template <execution Where, class T, detail::contiguous Values, detail::contiguous Indices>
void top_k_into(Where&& where, rows<T> const& in, std::uint64_t k, Values&& values,
                Indices&& indices, std::uint64_t* counts, top_k_options options = {}) {
  top_k_into(where, in, k_of_rows{nullptr, k}, values, indices, counts, options);
}

// Of rows of keys with a payload: chosen[r * k + i], in place of an index.
template <execution Where, class T, class Entries, detail::contiguous Values,
          detail::contiguous Chosen>
void top_k_into(Where&& where, keys_with_payload<rows<T>, Entries> const& in, k_of_rows k,
                Values&& values, Chosen&& chosen, std::uint64_t* counts,
                top_k_options options = {}) {
  static_assert(detail::counts_as_same<detail::value_of<Chosen>, detail::value_of<Entries>>,
                "top_k_into: chosen holds another type than the payload's");
  detail::require_room_for_top_k(in.keys.count * k.most, std::size(values), std::size(chosen),
                                 "chosen");
  detail::best_into<std::remove_const_t<T>>(where, in, k, values, "chosen", chosen, counts,
                                            options);
}
template <execution Where, class T, class Entries, detail::contiguous Values,
          detail::contiguous Chosen>
void top_k_into(Where&& where, keys_with_payload<rows<T>, Entries> const& in, std::uint64_t k,
                Values&& values, Chosen&& chosen, std::uint64_t* counts,
                top_k_options options = {}) {
  top_k_into(where, in, k_of_rows{nullptr, k}, values, chosen, counts, options);
}

}  // namespace tally
