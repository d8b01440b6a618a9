// SPDX-License-Identifier: Apache-2.0
//
// The calls of dynamic.hpp, of rows (rows.hpp): each row is one problem, and its bits depend on it
// alone. What calls write lies in memory of the caller, on a gpu in the gpu's, where they are
// asynchronous but for what is said here.
//
//   tally::any_rows const x{tally::rows{data, 100, 8}};
//   tally::reduce_into(here, x, out, {.count = 100, .length = 1, .stride = 1}, sum_of_floats);
#pragma once

#include "tally/dynamic.hpp"
#include "tally/rows.hpp"
#include "tally/validity.hpp"

namespace tally {

// Rows of elements that somebody else owns. Where some of them may be missing, a gpu that is to
// read segments must know the array's size.
struct any_rows {
  dtype type;
  void const* data;
  row_layout layout;
  std::uint64_t array_size = ~std::uint64_t(0);  // how many elements the array has, where known
  validity valid = {};                           // whose first element is the one at `data`

  any_rows(dtype of, void const* at, row_layout const& all) : type(of), data(at), layout(all) {}
  template <class T>
    requires element<counts_as<std::remove_const_t<T>>>
  explicit any_rows(rows<T> const& all)
      : type(dtype_of<counts_as<std::remove_const_t<T>>>),
        data(all.data),
        layout(all),
        array_size(all.array_size) {}
};

namespace detail {

template <class T>
rows<T const> rows_of(any_rows const& x) {
  rows<T const> all(static_cast<T const*>(x.data), x.layout);
  all.array_size = x.array_size;
  return all;
}

inline rows_in_memory in_memory(any_output const& x) {
  return {{.count = 1, .length = x.size}, x.data, size_of(x.type)};
}
inline rows_in_memory in_memory(any_rows const& x) {
  return {x.layout, x.data, size_of(x.type), x.array_size};
}

// Throws unless such elements have quantiles of the type.
void require_quantiles_type(char const* call, dtype in, dtype out, interpolation method);

}  // namespace detail

// Room for as many.
struct any_row_output {
  dtype type;
  void* data;
  row_layout layout;
};

// A result for each row: op.result_bytes() at each of `places`, rows of one such result, in which
// its numbers lie as op.numbers() says. Aggregates whose results a gpu does not round itself are
// rounded here: then the call waits for the stream.
void reduce_into(any_where where, any_rows const& in, void* out, row_layout const& places,
                 bound_aggregate const& op, reduce_options options = {});
// Of the pairs of the rows of a and b.
void reduce_into(any_where where, any_rows const& a, any_rows const& b, void* out,
                 row_layout const& places, bound_aggregate const& op, reduce_options options = {});

// As in scan.hpp; totals, if there is room for them, take that of each row.
struct any_row_scan_options {
  std::optional<any_number> init = {};
  bool reverse = false;
  void* totals = nullptr;
  nan_policy nan = propagate;
};
void inclusive_scan(any_where where, any_rows const& in, any_row_output const& out,
                    any_aggregate const& op, any_row_scan_options const& options = {});
void exclusive_scan(any_where where, any_rows const& in, any_row_output const& out,
                    any_aggregate const& op, any_row_scan_options const& options = {});

// As in top_k.hpp: k places for each row, and counts, which may be null.
void top_k_into(any_where where, any_rows const& in, std::uint64_t k, any_output const& values,
                std::span<std::int64_t> indices, std::uint64_t* counts, top_k_options options = {});

// As in quantile.hpp.
void kth_value_into(any_where where, any_rows const& in, std::uint64_t k, any_output const& values,
                    std::span<std::int64_t> indices, kth_value_options options = {});
// out holds what quantile_type() says, or of integers doubles.
void quantile_into(any_where where, any_rows const& in, detail::quantile_places qs,
                   any_output const& out, quantile_options options = {});

}  // namespace tally
