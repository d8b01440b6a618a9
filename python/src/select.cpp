// SPDX-License-Identifier: Apache-2.0
//
// The k best, the k-th value, quantiles.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "lines.hpp"

namespace tally::python {
namespace {

std::uint64_t k_of(char const* call, nb::handle k, std::uint64_t least) {
  auto const given = integer(call, "k", k);
  if (given < std::int64_t(least))
    fail_value(std::string(call) + ": k = " + std::to_string(given) + " is less than " +
               std::to_string(least));
  return std::uint64_t(given);
}

nb::object pair_of(result& values, result& indices) {
  return nb::make_tuple(values.take(), indices.take());
}

top_k_options options_of(bool smallest, bool sorted, bool distinct, bool skip) {
  return {.order = smallest ? order::smallest : order::largest,
          .sorted = sorted,
          .distinct = distinct,
          .nan = skip ? tally::skip : propagate};
}

// What is added to x to choose.
array bias_of(nb::handle given, array const& x) {
  auto bias = read_array("top_k", "bias", given);
  if (is_floating(bias.type) != is_floating(x.type))
    fail_type("top_k: bias holds " + std::string(name(bias.type)) + ", and x " +
              std::string(name(x.type)));
  if (bias.device != x.device) fail_value("top_k: bias lies on another device than x");
  if (bias.valid) fail_value("top_k: bias has nulls");
  if (!broadcast_to(bias, x.shape))
    fail_value("top_k: bias has the shape " + text_of(bias.shape) + ", and x " + text_of(x.shape));
  return bias;
}

nb::object best(nb::handle x, nb::handle k, nb::handle axis, bool smallest, flag sorted,
                flag distinct, bool skip, nb::handle bias) {
  constexpr char const* call = "top_k";
  auto const a = read_array(call, "x", x);
  auto const along = axis_of(call, axis, a);
  auto const count = k_of(call, k, 0);
  auto shape = a.shape;
  if (count > shape[along])
    fail_value("top_k: k = " + std::to_string(count) + " is larger than axis " +
               std::to_string(along) + " of x, which has " + std::to_string(shape[along]));
  shape[along] = count;
  std::optional<array> more;
  if (!bias.is_none()) more = bias_of(bias, a);
  result values(call, a.type, shape, a), indices(call, dtype::int64, shape, a);
  auto const how = options_of(smallest, sorted, distinct, skip);
  run_at(call, a, [&](any_where where) {
    auto const best = values.view().output(), at = indices.view().output();
    if (more)
      top_k_into(where, a.input(), more->input(), along, count, best, at, how);
    else
      top_k_into(where, a.input(), along, count, best, at, how);
  });
  return pair_of(values, indices);
}

any_output room_in(array const& x) { return {x.type, x.data, x.size()}; }
std::span<std::int64_t> indices_in(array const& x) {
  return {static_cast<std::int64_t*>(x.data), std::size_t(x.size())};
}

nb::object best_of_segments(nb::handle x, nb::handle offsets, nb::handle k, bool smallest,
                            flag sorted, flag distinct, bool skip) {
  constexpr char const* call = "top_k";
  auto const a = read_array(call, "x", x);
  segments_of_array const segments(call, offsets, a);
  auto const count = k_of(call, k, 0);
  std::vector<std::uint64_t> const shape = {segments.count(), count};
  result values(call, a.type, shape, a), indices(call, dtype::int64, shape, a);
  auto const how = options_of(smallest, sorted, distinct, skip);
  run_at(call, a, [&](any_where where) {
    lines const from(where, a, {0}, {a.type});
    top_k_into(where, segments.rows("x", from.input()), count, room_in(values.view()),
               indices_in(indices.view()), nullptr, how);
  });
  return pair_of(values, indices);
}

nb::object kth(nb::handle x, nb::handle k, nb::handle axis, flag keepdims, bool largest,
               bool skip) {
  constexpr char const* call = "kth_value";
  auto const a = read_array(call, "x", x);
  auto const axes = axes_of(call, axis, a);
  auto const place = k_of(call, k, 1);
  if (auto const n = reduced_count(a, axes); place > n)
    fail_value("kth_value: k = " + std::to_string(place) +
               " is larger than the number of elements, " + std::to_string(n));
  auto const shape = reduced_shape(a, axes, keepdims);
  result values(call, a.type, shape, a), indices(call, dtype::int64, shape, a);
  axes_list const ones = keepdims ? axes : axes_list{};
  run_at(call, a, [&](any_where where) {
    kth_value_into(where, a.input(), axes, place, values.without(ones), indices.without(ones),
                   {largest ? order::largest : order::smallest, skip ? tally::skip : propagate});
  });
  return pair_of(values, indices);
}

// Pairs of a numerator and a denominator.
std::vector<fraction> fractions_of(nb::handle q) {
  std::vector<fraction> all;
  for (auto const one : nb::borrow<nb::list>(q)) {
    auto const [a, b] = nb::cast<std::pair<std::uint64_t, std::uint64_t>>(one);
    all.push_back({a, b});
  }
  return all;
}

interpolation method_of(std::string const& call, std::string const& name) {
  constexpr std::string_view names[] = {"linear", "lower", "higher", "nearest", "midpoint"};
  for (std::size_t i = 0; i < std::size(names); ++i)
    if (names[i] == name) return interpolation(i);
  fail_value(call + ": method = '" + name +
             "' is none of linear, lower, higher, nearest, midpoint");
}

nb::object quantiles(std::string const& call, nb::handle x, nb::handle q, bool one, nb::handle axis,
                     flag keepdims, std::string const& method, bool skip) {
  auto const a = read_array(call.c_str(), "x", x);
  auto const axes = axes_of(call.c_str(), axis, a);
  auto const at = fractions_of(q);
  quantile_options const how{method_of(call, method), skip ? tally::skip : propagate};
  auto shape = reduced_shape(a, axes, keepdims);
  if (!one) shape.insert(shape.begin(), at.size());
  result to(call.c_str(), quantile_type(a.type, how.method), shape, a);
  if (reduced_count(a, axes) == 0 && to.view().size() == 0) return to.take();
  if (reduced_count(a, axes) == 0) fail_value(call + ": of no elements, which have no quantiles");
  auto view = to.without(keepdims ? axes : axes_list{}, one ? 0 : 1);
  if (one) view.shape.insert(view.shape.begin(), 1), view.strides.insert(view.strides.begin(), 1);
  run_at(call, a, [&](any_where where) { quantile_into(where, a.input(), axes, at, view, how); });
  return to.take();
}

nb::object quantiles_of_segments(std::string const& call, nb::handle x, nb::handle offsets,
                                 nb::handle q, bool one, std::string const& method, bool skip) {
  auto const a = read_array(call.c_str(), "x", x);
  segments_of_array const segments(call.c_str(), offsets, a);
  auto const at = fractions_of(q);
  quantile_options const how{method_of(call, method), skip ? tally::skip : propagate};
  std::vector<std::uint64_t> shape = {segments.count()};
  if (!one) shape.push_back(at.size());
  result to(call.c_str(), quantile_type(a.type, how.method), shape, a);
  run_at(call, a, [&](any_where where) {
    lines const from(where, a, {0}, {a.type});
    quantile_into(where, segments.rows("x", from.input()), at, room_in(to.view()), how);
  });
  return to.take();
}

}  // namespace

void bind_selections(nb::module_& module) {
  auto const any = nb::arg().none();
  module.def("top_k", best, any, any, any, any, any, any, any, any);
  module.def("top_k_segments", best_of_segments, any, any, any, any, any, any, any);
  module.def("kth_value", kth, any, any, any, any, any, any);
  module.def("quantile", quantiles, any, any, any, any, any, any, any, any);
  module.def("quantile_segments", quantiles_of_segments, any, any, any, any, any, any, any);
}

}  // namespace tally::python
