// SPDX-License-Identifier: Apache-2.0
#include "ndarray.hpp"

namespace tally {
namespace {

using namespace detail;

std::span<std::int64_t> indices_at(void* data, std::uint64_t count) {
  return {static_cast<std::int64_t*>(data), std::size_t(count)};
}

// Calls f(where, loops over rows) where `in` lies.
template <class F>
void select(char const* call, any_where where, any_ndarray const& in, axes_list const& axes,
            F const& f) {
  auto const loops = split(call, in, axes);
  std::uint64_t const n = count_of(loops.kept) * count_of(loops.along);
  run_where(where, {in.data, nullptr, n}, [&](auto&& there) { f(there, loops); });
}

std::vector<std::int64_t> without(std::vector<std::int64_t> strides, std::size_t axis) {
  strides.erase(strides.begin() + std::ptrdiff_t(axis));
  return strides;
}

}  // namespace

void top_k_into(any_where where, any_ndarray const& in, std::size_t axis, std::uint64_t k,
                any_ndarray_output const& values, any_ndarray_output const& indices,
                top_k_options options) {
  select("top_k", where, in, {axis}, [&](auto& there, row_loops const& loops) {
    auto shape = in.shape;
    shape[axis] = k;
    require_type("top_k", "values", values.type, in.type);
    require_type("top_k", "indices", indices.type, dtype::int64);
    require_output("top_k", "values", values, shape);
    require_output("top_k", "indices", indices, shape);
    require_unread("top_k", argument_of("in", in),
                   {argument_of("values", values), argument_of("indices", indices)}, true);
    auto const to = [&](any_ndarray_output const& out) {
      dimension const places{k, {0, out.strides[axis]}};
      return loops_to(loops, without(out.strides, axis), &places);
    };
    result_room const found(there, values, to(values)), at(there, indices, to(indices));
    for_rows_of(there, in, loops, [&](any_rows const& rows, std::uint64_t first) {
      std::uint64_t const places = rows.layout.count * k;
      top_k_into(any_where(there), rows, k, {in.type, found.from(first * k), places},
                 indices_at(at.from(first * k), places), nullptr, options);
    });
    found.deliver(), at.deliver();
  });
}

void kth_value_into(any_where where, any_ndarray const& in, axes_list const& axes, std::uint64_t k,
                    any_ndarray_output const& values, any_ndarray_output const& indices,
                    kth_value_options options) {
  select("kth_value", where, in, axes, [&](auto& there, row_loops const& loops) {
    require_type("kth_value", "values", values.type, in.type);
    require_type("kth_value", "indices", indices.type, dtype::int64);
    require_output("kth_value", "values", values, kept_shape(in, axes));
    require_output("kth_value", "indices", indices, kept_shape(in, axes));
    require_unread("kth_value", argument_of("in", in),
                   {argument_of("values", values), argument_of("indices", indices)}, true);
    result_room const found(there, values, loops_to(loops, values.strides, nullptr)),
        at(there, indices, loops_to(loops, indices.strides, nullptr));
    for_rows_of(there, in, loops, [&](any_rows const& rows, std::uint64_t first) {
      auto const count = rows.layout.count;
      kth_value_into(any_where(there), rows, k, {in.type, found.from(first), count},
                     indices_at(at.from(first), count), options);
    });
    found.deliver(), at.deliver();
  });
}

void quantile_into(any_where where, any_ndarray const& in, axes_list const& axes,
                   detail::quantile_places qs, any_ndarray_output const& out,
                   quantile_options options) {
  select("quantile", where, in, axes, [&](auto& there, row_loops const& loops) {
    auto shape = kept_shape(in, axes);
    shape.insert(shape.begin(), qs.size());
    require_quantiles_type("quantile", in.type, out.type, options.method);
    require_output("quantile", "out", out, shape);
    require_unread("quantile", argument_of("in", in), {argument_of("out", out)}, true);
    dimension const each{qs.size(), {0, out.strides[0]}};
    result_room const found(there, out, loops_to(loops, without(out.strides, 0), &each));
    for_rows_of(there, in, loops, [&](any_rows const& rows, std::uint64_t first) {
      std::uint64_t const places = rows.layout.count * qs.size();
      quantile_into(any_where(there), rows, qs, {out.type, found.from(first * qs.size()), places},
                    options);
    });
    found.deliver();
  });
}

}  // namespace tally
