// SPDX-License-Identifier: Apache-2.0
//
// kth_value and quantile by cores.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tally/cpu/selections.hpp"
#include "tally/interpolation.hpp"

namespace tally {

namespace detail {

// src/cpu/quantile.cpp has the instances. Where a row has no element, or fewer that count than k,
// the answer is what is missing. `Out` is quantile_of<T>, or T where that is chosen.
template <class T>
void kth_values_compiled(cpu where, rows<T const> const& in, std::uint64_t k, T* values,
                         std::int64_t* indices, kth_value_options const& options);
template <class T, class Out>
void quantiles_compiled(cpu where, rows<T const> const& in, quantile_places const& qs, Out* out,
                        quantile_options const& options);

// An array is one row; what is computed is first put into memory. Calls f(rows).
template <class T, class F>
void with_rows(cpu, char const* call, rows<T> const& in, F f) {
  require_lengths(call, in);
  f(in);
}
template <class T, class F>
void with_rows(cpu, char const*, array_input<T> const& in, F f) {
  f(rows<T const>{in.data, 1, in.count});
}
template <readable R, class F>
void with_rows(cpu where, char const* call, R const& in, F f) {
  static_assert(readable_here<R>, "cores do not see the elements of this array");
  using T = element_of<R>;
  if constexpr (input<R>) {
    std::vector<one<T>> all;
    all.reserve(std::size_t(in.size()));
    for_computed(where, in, false, [&](std::span<T const> part, std::uint64_t) {
      for (T const x : part) all.push_back({x});
    });
    f(rows<T const>{&all.data()->value, 1, all.size()});
  } else {
    std::span<T const> const all = span_of(call, "in", in);
    f(rows<T const>{all.data(), 1, all.size()});
  }
}

// These calls, which errors name, by what `Where` is. `In` is an array, an input or rows of arrays;
// the answers go to memory of `Where`, or to the host's.
template <class Where>
struct quantiles_on;

template <>
struct quantiles_on<cpu> {
  template <class In, class T>
  static void kth_into(cpu where, In const& in, char const* call, std::uint64_t k, T* values,
                       std::int64_t* indices, kth_value_options const& options) {
    require_aligned(call, "values", std::span(values, 1));
    require_aligned(call, "indices", std::span(indices, 1));
    with_rows(where, call, in, [&](rows<T const> const& x) {
      require_unread(
          call, {"in", in_memory(x)},
          {{"values", in_memory(values, x.count)}, {"indices", in_memory(indices, x.count)}}, true);
      kth_values_compiled(where, x, k, values, indices, options);
    });
  }
  template <class In, class Out>
  static void quantiles_into(cpu where, In const& in, char const* call, quantile_places const& qs,
                             Out* out, quantile_options const& options) {
    require_aligned(call, "out", std::span(out, 1));
    with_rows(where, call, in, [&](auto const& x) {
      require_unread(call, {"in", in_memory(x)}, {{"out", in_memory(out, x.count * qs.size())}},
                     true);
      quantiles_compiled(where, x, qs, out, options);
    });
  }
  static void kth(auto const&... arguments) { kth_into(arguments...); }
  static void quantiles(auto const&... arguments) { quantiles_into(arguments...); }
};

}  // namespace detail
}  // namespace tally
