// SPDX-License-Identifier: Apache-2.0
//
// The calls of dynamic.hpp, of arrays of several dimensions, along any axes, as NumPy has them:
// reductions, scans and selections of each place that the other axes have. Arrays and what is
// written have any strides, negative ones and zero too, but what is written has a place for each
// result, where nothing is read but by a scan. On a gpu all of them lie in its memory, and calls
// are asynchronous but for what is said in dynamic_rows.hpp.
//
//   tally::any_ndarray const x{tally::dtype::float32, data, {100, 8, 3}};
//   tally::reduce_into(here, x, {0, 2}, {{tally::dtype::float32, sums, {8}}}, sum_of_floats);
//
// Cores read elements where they lie; so does a gpu where those of one result are a line, and there
// are at most two steps between such lines. Others it first puts side by side, in memory of its
// own, as much at a time as ndarray_scratch_bytes; and selections and scans do so on cores, too.
#pragma once

#include <initializer_list>

#include "tally/dynamic_rows.hpp"

namespace tally {

namespace detail {
// Throws for more elements than an index of 64 bits counts, extents of 0 left out of account.
void require_countable(std::vector<std::uint64_t> const& shape);
}  // namespace detail

// The element (i, j, ...) lies at data + i * strides[0] + j * strides[1] + ..., in elements.
template <class Data>
struct basic_ndarray {
  dtype type;
  Data* data;
  std::vector<std::uint64_t> shape;
  std::vector<std::int64_t> strides;
  validity valid = {};  // of what is read; its first element is the one at `data`

  // In C order.
  basic_ndarray(dtype of, Data* at, std::vector<std::uint64_t> its_shape)
      : type(of), data(at), shape(std::move(its_shape)), strides(shape.size()) {
    detail::require_countable(shape);
    std::int64_t step = 1;
    for (std::size_t d = shape.size(); d-- > 0; step *= std::int64_t(shape[d])) strides[d] = step;
  }
  basic_ndarray(dtype of, Data* at, std::vector<std::uint64_t> its_shape,
                std::vector<std::int64_t> its_strides)
      : type(of), data(at), shape(std::move(its_shape)), strides(std::move(its_strides)) {
    detail::require_countable(shape);
    if (shape.size() != strides.size())
      throw error("ndarray: " + std::to_string(strides.size()) + " strides of " +
                  std::to_string(shape.size()) + " dimensions");
  }
};
using any_ndarray = basic_ndarray<void const>;
using any_ndarray_output = basic_ndarray<void>;

inline constexpr std::uint64_t ndarray_scratch_bytes = std::uint64_t(1) << 28;

// Axes count from 0; each is named once. Elements of several are in C order.
using axes_list = std::vector<std::size_t>;

// A result for each place of the other axes: out[i] takes the i-th of its numbers (op.numbers()),
// and has the shape of these axes, or that of `in` with 1 for each of `axes`. Where there are no
// elements, results are those of an empty row (reduce.hpp).
void reduce_into(any_where where, any_ndarray const& in, axes_list const& axes,
                 std::vector<any_ndarray_output> const& out, bound_aggregate const& op,
                 reduce_options options = {});
// Of the pairs of a and b, which have one shape.
void reduce_into(any_where where, any_ndarray const& a, any_ndarray const& b, axes_list const& axes,
                 std::vector<any_ndarray_output> const& out, bound_aggregate const& op,
                 reduce_options options = {});

// Of rows, as segments are: each array of `out` has one dimension, of as many as there are rows.
void reduce_into(any_where where, any_rows const& in, std::vector<any_ndarray_output> const& out,
                 bound_aggregate const& op, reduce_options options = {});
void reduce_into(any_where where, any_rows const& a, any_rows const& b,
                 std::vector<any_ndarray_output> const& out, bound_aggregate const& op,
                 reduce_options options = {});

// out has the shape of `in`, and lies where `in` lies, place by place, or apart from it.
struct any_ndarray_scan_options {
  std::optional<any_number> init = {};  // of the output's type
  bool exclusive = false;
  bool reverse = false;
  nan_policy nan = propagate;
};
void scan(any_where where, any_ndarray const& in, axes_list const& axes,
          any_ndarray_output const& out, any_aggregate const& op,
          any_ndarray_scan_options const& options = {});

// values and indices (int64) have the shape of `in`, with k along the axis; where that has fewer
// elements, what is behind them is as in top_k.hpp.
void top_k_into(any_where where, any_ndarray const& in, std::size_t axis, std::uint64_t k,
                any_ndarray_output const& values, any_ndarray_output const& indices,
                top_k_options options = {});

// The same, chosen by the sums of elements and what lies at their place in `bias`, an array of the
// same shape whose numbers are rounded to in's type first; what comes back are elements of `in`.
// Sums are rounded once, or modulo 2^bits. On a gpu this is one launch for up to 32 of lines of up
// to 1024 floating-point numbers of 16 or 32 bits, side by side, if the bias has their type and
// lies as they do, or is one line for all.
void top_k_into(any_where where, any_ndarray const& in, any_ndarray const& bias, std::size_t axis,
                std::uint64_t k, any_ndarray_output const& values,
                any_ndarray_output const& indices, top_k_options options = {});

// values and indices (int64) have the shape of the other axes. An index counts elements of `axes`
// in C order.
void kth_value_into(any_where where, any_ndarray const& in, axes_list const& axes, std::uint64_t k,
                    any_ndarray_output const& values, any_ndarray_output const& indices,
                    kth_value_options options = {});

// out has the shape of the other axes behind a first dimension of as many as there are quantiles;
// it holds what quantile_type() says, or of integers doubles.
void quantile_into(any_where where, any_ndarray const& in, axes_list const& axes,
                   detail::quantile_places qs, any_ndarray_output const& out,
                   quantile_options options = {});

}  // namespace tally
