// SPDX-License-Identifier: Apache-2.0
//
// What is at a place of the sorted array, without sorting it: the k-th value, quantiles, the
// median.
#pragma once

#include "tally/cpu/quantiles.hpp"
#include "tally/known_elements.hpp"
#include "tally/where.hpp"

namespace tally {
namespace detail {

template <sortable R>
using sorted_element = counts_as<given_element<R>>;

// What every call asks of its arguments; the number of rows.
void require_kth(char const* call, std::uint64_t k, std::uint64_t n);
void require_quantiles(char const* call, quantile_places const& qs);
void require_elements(char const* call, std::uint64_t n);
void require_room(char const* call, char const* argument, std::size_t size, std::uint64_t needed);

template <class Where>
inline constexpr bool has_all = calls_on<arguments_on, Where>::are_all;

template <class Where, sortable R>
std::uint64_t kth_rows(char const* call, R const& in, std::uint64_t k) {
  require_element<sorted_element<R>>();
  if constexpr (is_rows<R>) {
    if (has_all<Where>) require_rows(call, "in", in);
    require_kth(call, k, ~std::uint64_t(0));
    return in.count;
  } else {
    if (has_all<Where>) require_kth(call, k, input_of(call, "in", in).size());
    return 1;
  }
}
template <class Where, sortable R>
std::uint64_t quantile_rows(char const* call, R const& in, quantile_places const& qs) {
  require_element<sorted_element<R>>();
  require_quantiles(call, qs);
  if constexpr (is_rows<R>) {
    if (has_all<Where>) require_rows(call, "in", in);
    return in.count;
  } else {
    if (has_all<Where>) require_elements(call, input_of(call, "in", in).size());
    return 1;
  }
}

// The answers of all rows, or of an array the only one.
template <sortable R, class Values>
auto of_rows_or_array(Values&& found) {
  if constexpr (is_rows<R>)
    return std::move(found);
  else
    return found[0];
}

template <sortable R, class Where, class Out = quantile_of<sorted_element<R>>>
auto found_quantiles(char const* call, Where& where, R const& in, quantile_places const& qs,
                     quantile_options const& options, std::type_identity<Out> = {}) {
  auto const count = quantile_rows<Where>(call, in, qs);
  values_of<Out> found(std::size_t(count) * qs.size());
  settled_memory<given_element<R>> const during;
  calls_on<quantiles_on, Where>::quantiles(where, known_elements(call, in), call, qs,
                                           reinterpret_cast<Out*>(found.data()), options);
  return found;
}
template <sortable R, class Where, class Place>
auto found_quantile(char const* call, Where& where, R const& in, Place q,
                    quantile_options const& options) {
  return of_rows_or_array<R>(found_quantiles(call, where, in, std::span(&q, 1), options));
}

}  // namespace detail

// The element that a stable sort puts at place k, from 1 to in.size(), bit for bit, and its index.
// The smallest come first, unless the options say otherwise. All NaNs are equal, and larger than
// +inf; -0.0 equals +0.0. If so many NaNs are skipped that fewer than k are left, the value is NaN
// and the index -1. Extra memory on cores: as in top_k.hpp, but for an input that is computed, all
// of whose elements are kept.
//
// Of rows (rows.hpp) that of each, for any k from 1 on. That of a row that has fewer has the index
// -1, and is NaN, or 0 where there is none. Indices count from the row's begin.
template <execution Where, detail::sortable R>
auto kth_value(Where&& where, R const& in, std::uint64_t k, kth_value_options options = {}) {
  using value = detail::sorted_element<R>;
  auto const count = std::size_t(detail::kth_rows<Where>("kth_value", in, k));
  detail::settled_memory<detail::given_element<R>> const during;
  auto const find = [&](value* values, std::int64_t* indices) {
    detail::calls_on<detail::quantiles_on, Where>::kth(
        where, detail::known_elements("kth_value", in), "kth_value", k, values, indices, options);
  };
  if constexpr (detail::is_rows<R>) {
    kth_value_rows_result<value> found;
    found.values.resize(count), found.indices.resize(count);
    find(reinterpret_cast<value*>(found.values.data()), found.indices.data());
    return found;
  } else {
    kth_value_result<value> found;
    find(&found.value, &found.index);
    return found;
  }
}
// The same, into `values` and `indices`, which have room for one a row, or for one. On a gpu it is
// asynchronous, and all memory is the gpu's.
template <execution Where, detail::sortable R, detail::contiguous Values,
          detail::contiguous Indices>
void kth_value_into(Where&& where, R const& in, std::uint64_t k, Values&& values, Indices&& indices,
                    kth_value_options options = {}) {
  static_assert(std::is_same_v<counts_as<detail::value_of<Values>>, detail::sorted_element<R>>,
                "kth_value_into: values holds another type than the elements'");
  static_assert(std::is_same_v<counts_as<detail::value_of<Indices>>, std::int64_t>,
                "kth_value_into: indices are std::int64_t");
  auto const count = detail::kth_rows<Where>("kth_value_into", in, k);
  detail::calls_on<detail::arguments_on, Where>::require(where, [&] {
    detail::require_room("kth_value_into", "values", std::size(values), count);
    detail::require_room("kth_value_into", "indices", std::size(indices), count);
  });
  auto const found = detail::elements_in(detail::span_of("kth_value_into", "values", values));
  auto const at = detail::elements_in(detail::span_of("kth_value_into", "indices", indices));
  detail::settled_memory<detail::given_element<R>, detail::value_of<Values>,
                         detail::value_of<Indices>> const during;
  detail::calls_on<detail::quantiles_on, Where>::kth_into(
      where, detail::known_elements("kth_value_into", in), "kth_value_into", k, found.data(),
      at.data(), options);
}

// Where the sorted array is thought of as a line over the places from 0 to n - 1, its value at the
// place (n - 1) * q, for q from 0 to 1; between two elements what the method says. It is the exact
// value, rounded once to the elements' type, or of integers to double. The place is exact as well,
// of a fraction always: fraction{95, 100} is what 0.95 is close to. Of a double it is for `linear`;
// the other methods round it to a double, as NumPy does: so 0.1 of eleven elements is an element.
// Any NaN makes it NaN, unless NaNs are skipped; so does an array of nothing else. A zero is +0.0;
// between -inf and +inf it is NaN.
//
// Of rows (rows.hpp) a vector: that of row r for qs[i] is at r * qs.size() + i. Those of an empty
// row are NaN, or 0 where they are integers.
template <execution Where, detail::sortable R>
auto quantile(Where&& where, R const& in, double q, quantile_options options = {}) {
  return detail::found_quantile("quantile", where, in, q, options);
}
template <execution Where, detail::sortable R>
auto quantile(Where&& where, R const& in, fraction q, quantile_options options = {}) {
  return detail::found_quantile("quantile", where, in, q, options);
}
// Several at once, in a vector: an array of doubles, or of fractions.
template <execution Where, detail::sortable R>
auto quantile(Where&& where, R const& in, detail::quantile_places qs,
              quantile_options options = {}) {
  return detail::found_quantiles("quantile", where, in, qs, options);
}

// The same, into `out`, which has room for all of them; where the method chooses an element, those
// of integers may be such. On a gpu it is asynchronous, and all memory but that of `qs`, which is
// read at once, is the gpu's.
template <execution Where, detail::sortable R, detail::contiguous Out>
void quantile_into(Where&& where, R const& in, detail::quantile_places qs, Out&& out,
                   quantile_options options = {}) {
  using element = detail::sorted_element<R>;
  constexpr bool chosen =
      integer<element> && std::is_same_v<element, counts_as<detail::value_of<Out>>>;
  static_assert(chosen || std::is_same_v<detail::value_of<Out>, quantile_of<element>>,
                "quantile_into: out holds another type than the elements', or double of integers");
  if (chosen && !chooses_an_element(options.method))
    throw error("quantile_into: out holds integers, and the method chooses none");
  auto const count = detail::quantile_rows<Where>("quantile_into", in, qs);
  detail::calls_on<detail::arguments_on, Where>::require(where, [&] {
    detail::require_room("quantile_into", "out", std::size(out), count * qs.size());
  });
  auto const to = detail::elements_in(detail::span_of("quantile_into", "out", out));
  detail::settled_memory<detail::given_element<R>, detail::value_of<Out>> const during;
  detail::calls_on<detail::quantiles_on, Where>::quantiles_into(
      where, detail::known_elements("quantile_into", in), "quantile_into", qs, to.data(), options);
}

// The quantile of a half: the element in the middle, or the mean of the two there, rounded once.
template <execution Where, detail::sortable R>
auto median(Where&& where, R const& in, reduce_options options = {}) {
  return detail::found_quantile("median", where, in, 0.5, {interpolation::linear, options.nan});
}

}  // namespace tally
