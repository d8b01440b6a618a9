// SPDX-License-Identifier: Apache-2.0
//
// The k best elements and where they are: exactly what a stable sort would put first.
#pragma once

#include "tally/cpu/selections.hpp"
#include "tally/payload.hpp"
#include "tally/where.hpp"

namespace tally {

// The k best elements of `in`, an array or an input (transform.hpp), copied bit for bit, for k from
// 0 to in.size(). Ties go to the lower index. All NaNs are equal, and larger than +inf; -0.0 equals
// +0.0. Skipped NaNs and `distinct` can leave fewer than k. Extra memory on cores: at most 15 % of
// an array's bytes, and about a megabyte a thread.
template <execution Where, detail::readable R>
  requires element<detail::element_of<R>>
auto top_k(Where&& where, R const& in, std::uint64_t k, top_k_options options = {}) {
  static_assert(detail::runs_on<detail::selections_on, Where>,
                "include <tally/gpu.hpp>, or <tally/automatic.hpp>");
  return detail::calls_on<detail::selections_on, Where>::best(where, in, k, options);
}

// The same, into the front of `values` and `indices` (of 64 bits or of 32), which have room for k
// and are apart from `in`; *count (or null) takes how many. On cores and by best() it returns how
// many, too. On a gpu it is asynchronous, and all memory is the gpu's.
template <execution Where, detail::readable R, detail::contiguous Values,
          detail::contiguous Indices>
  requires element<detail::element_of<R>>
auto top_k_into(Where&& where, R const& in, std::uint64_t k, Values&& values, Indices&& indices,
                std::uint64_t* count, top_k_options options = {}) {
  static_assert(detail::runs_on<detail::selections_on, Where>,
                "include <tally/gpu.hpp>, or <tally/automatic.hpp>");
  static_assert(std::is_same_v<detail::value_of<Values>, detail::element_of<R>>,
                "top_k_into: values holds another type than the elements'");
  return detail::calls_on<detail::selections_on, Where>::into(
      where, in, k, detail::span_of(values), detail::span_of(indices), count, options);
}
template <execution Where, detail::readable R, detail::contiguous Values,
          detail::contiguous Indices>
  requires element<detail::element_of<R>>
auto top_k_into(Where&& where, R const& in, std::uint64_t k, Values&& values, Indices&& indices,
                top_k_options options = {}) {
  return top_k_into(where, in, k, values, indices, static_cast<std::uint64_t*>(nullptr), options);
}

// Of keys with a payload (payload.hpp): `chosen` takes what belongs to each of the best, in place
// of its index. Where fewer than k are found, the others' places get zero bytes.
template <execution Where, detail::readable R, class Entries, detail::contiguous Values,
          detail::contiguous Chosen>
  requires element<detail::element_of<R>>
auto top_k_into(Where&& where, keys_with_payload<R, Entries> const& in, std::uint64_t k,
                Values&& values, Chosen&& chosen, std::uint64_t* count,
                top_k_options options = {}) {
  static_assert(detail::runs_on<detail::selections_on, Where>,
                "include <tally/gpu.hpp>, or <tally/automatic.hpp>");
  static_assert(std::is_same_v<detail::value_of<Values>, detail::element_of<R>>,
                "top_k_into: values holds another type than the elements'");
  static_assert(std::is_same_v<detail::value_of<Chosen>, detail::value_of<Entries>>,
                "top_k_into: chosen holds another type than the payload's");
  return detail::calls_on<detail::selections_on, Where>::into(
      where, in, k, detail::span_of(values), detail::span_of(chosen), count, options);
}
template <execution Where, detail::readable R, class Entries, detail::contiguous Values,
          detail::contiguous Chosen>
  requires element<detail::element_of<R>>
auto top_k_into(Where&& where, keys_with_payload<R, Entries> const& in, std::uint64_t k,
                Values&& values, Chosen&& chosen, top_k_options options = {}) {
  return top_k_into(where, in, k, values, chosen, static_cast<std::uint64_t*>(nullptr), options);
}

// Of each row (rows.hpp), for any k, or one of its own: a row that has fewer is filled up with the
// index -1 and NaN, or 0 where there is none. Indices count from the row's begin.
template <execution Where, element T>
top_k_rows_result<T> top_k(Where&& where, rows<T> const& in, k_of_rows k,
                           top_k_options options = {}) {
  static_assert(detail::runs_on<detail::selections_on, Where>,
                "include <tally/gpu.hpp>, or <tally/automatic.hpp>");
  return detail::calls_on<detail::selections_on, Where>::best_of_rows(where, in, k, options);
}
template <execution Where, element T>
top_k_rows_result<T> top_k(Where&& where, rows<T> const& in, std::uint64_t k,
                           top_k_options options = {}) {
  return top_k(where, in, k_of_rows{nullptr, k}, options);
}

// The same, into values[r * k + i] and indices[r * k + i]; counts[r] (or null) takes how many.
template <execution Where, element T, detail::contiguous Values, detail::contiguous Indices>
void top_k_into(Where&& where, rows<T> const& in, k_of_rows k, Values&& values, Indices&& indices,
                std::uint64_t* counts, top_k_options options = {}) {
  static_assert(detail::runs_on<detail::selections_on, Where>,
                "include <tally/gpu.hpp>, or <tally/automatic.hpp>");
  static_assert(std::is_same_v<detail::value_of<Values>, T>,
                "top_k_into: values holds another type than the elements'");
  detail::require_room_for_top_k(in.count * k.most, std::size(values), std::size(indices));
  detail::calls_on<detail::selections_on, Where>::rows_into(
      where, in, k, detail::span_of(values), detail::span_of(indices), counts, options);
}
template <execution Where, element T, detail::contiguous Values, detail::contiguous Indices>
void top_k_into(Where&& where, rows<T> const& in, std::uint64_t k, Values&& values,
                Indices&& indices, std::uint64_t* counts, top_k_options options = {}) {
  top_k_into(where, in, k_of_rows{nullptr, k}, values, indices, counts, options);
}

// Of rows of keys with a payload: chosen[r * k + i], in place of an index.
template <execution Where, element T, class Entries, detail::contiguous Values,
          detail::contiguous Chosen>
void top_k_into(Where&& where, keys_with_payload<rows<T>, Entries> const& in, k_of_rows k,
                Values&& values, Chosen&& chosen, std::uint64_t* counts,
                top_k_options options = {}) {
  static_assert(detail::runs_on<detail::selections_on, Where>,
                "include <tally/gpu.hpp>, or <tally/automatic.hpp>");
  static_assert(std::is_same_v<detail::value_of<Values>, T>,
                "top_k_into: values holds another type than the elements'");
  static_assert(std::is_same_v<detail::value_of<Chosen>, detail::value_of<Entries>>,
                "top_k_into: chosen holds another type than the payload's");
  detail::require_room_for_top_k(in.keys.count * k.most, std::size(values), std::size(chosen),
                                 "chosen");
  detail::calls_on<detail::selections_on, Where>::rows_into(
      where, in, k, detail::span_of(values), detail::span_of(chosen), counts, options);
}
template <execution Where, element T, class Entries, detail::contiguous Values,
          detail::contiguous Chosen>
void top_k_into(Where&& where, keys_with_payload<rows<T>, Entries> const& in, std::uint64_t k,
                Values&& values, Chosen&& chosen, std::uint64_t* counts,
                top_k_options options = {}) {
  top_k_into(where, in, k_of_rows{nullptr, k}, values, chosen, counts, options);
}

}  // namespace tally
