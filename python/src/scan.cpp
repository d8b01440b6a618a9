// SPDX-License-Identifier: Apache-2.0
//
// Cumulative sums, products and extrema, along an axis or of segments.
#include <nanobind/stl/string.h>

#include "lines.hpp"

namespace tally::python {
namespace {

// How a scan is computed: the type of results, what the library writes, there if it is as wide, and
// what elements become first.
struct plan {
  dtype shown, written, elements;
};

// Where no type is asked for. Sums and products of integers are int64 or uint64.
plan own_plan(any_aggregate const& op, array const& x) {
  auto const name = op.info().name;
  if (is_floating(x.type) || name == "minimum" || name == "maximum")
    return {x.type, x.type, x.type};
  bool const is_unsigned = x.type >= dtype::uint8 || x.type == dtype::boolean;
  bool const as_signed = !is_unsigned || sums_are_signed(x.type, *x.from);
  return {as_signed ? dtype::int64 : dtype::uint64, is_unsigned ? dtype::uint64 : dtype::int64,
          x.type};
}

plan plan_of(std::string const& call, any_aggregate const& op, array const& x, nb::handle as,
             bool skip) {
  auto all = own_plan(op, x);
  if (!as.is_none()) {
    auto const asked = dtype_of(call.c_str(), as);
    if (asked != all.shown) all = {asked, asked, x.type};
    if (skip && is_floating(x.type) && !is_floating(asked))
      fail_type(call + ": nan='skip' is not for dtype = " + std::string(name(asked)) +
                ", which has no NaN");
  }
  auto const can = x.device == array::host ? can_scan : can_scan_on_gpu;
  // Products of narrow integers are those of wide ones, modulo 2^bits.
  if (!is_floating(all.written) && !can(op, all.written, all.written))
    all.written = all.written >= dtype::uint8 ? dtype::uint64 : dtype::int64;
  if (!can(op, x.type, all.written)) all.elements = all.written;
  if (!can(op, all.elements, all.written))
    fail_type(call + ": of " + std::string(name(x.type)) + " there are no results of " +
              std::string(name(all.shown)));
  return all;
}

// The result of no element, at the one place that there is along the axis: that is what an
// exclusive scan of one element gives, whatever that is.
void write_nothing(any_where where, any_ndarray_output const& to, std::size_t axis,
                   any_aggregate const& op) {
  any_ndarray const there(to.type, to.data, to.shape, to.strides);
  scan(where, there, {axis}, to, op, {.exclusive = true});
}

// To `out`, where there may be room for the result of nothing, too.
void scan_into(any_where where, any_ndarray const& in, std::size_t axis, any_ndarray_output out,
               any_aggregate const& op, any_ndarray_scan_options const& how) {
  auto const n = in.shape[axis];
  bool const initial = out.shape[axis] > n;
  auto const bytes = std::int64_t(size_of(out.type));
  auto const at = [&](std::uint64_t i) {
    return static_cast<std::byte*>(out.data) + std::int64_t(i) * out.strides[axis] * bytes;
  };
  auto nothing = out;
  nothing.shape[axis] = 1, nothing.data = at(how.reverse ? n : 0);
  out.shape[axis] = n, out.data = at(initial && !how.reverse ? 1 : 0);
  scan(where, in, {axis}, out, op, how);  // sees first what is wrong
  if (initial) write_nothing(where, nothing, axis, op);
}

nb::object scan_along(std::string const& call, std::string const& aggregate, nb::handle x,
                      nb::handle axis, nb::handle out, nb::handle as, flag exclusive, flag reverse,
                      flag initial, bool skip) {
  auto const a = read_array(call.c_str(), "x", x);
  if (a.shape.empty()) fail_value(call + ": x has no axis");
  if (axis.is_none() && a.shape.size() > 1)
    fail_value(call + ": axis is needed: x has " + std::to_string(a.shape.size()) + " dimensions");
  auto const along = axis.is_none() ? 0 : axis_of(call.c_str(), axis, a);
  any_aggregate const op(aggregate);
  auto const [shown, type, elements] = plan_of(call, op, a, as, skip);
  auto shape = a.shape;
  if (initial) ++shape[along];
  result to(call.c_str(), shown, shape, a, out);
  any_ndarray_scan_options const how{
      .exclusive = exclusive, .reverse = reverse, .nan = skip ? tally::skip : propagate};
  run_at(call, a, [&](any_where where) {
    std::optional<lines> converted;
    if (elements != a.type) converted.emplace(where, a, axes_list{along}, reading{elements});
    auto const in = converted ? converted->input() : a.input();
    if (size_of(type) == size_of(shown)) return scan_into(where, in, along, to.as(type), op, how);
    scratch const room(where, bytes_of(type, shape));
    scan_into(where, in, along, {type, room.data(), shape}, op, how);
    copy_into(where, {type, room.data(), shape}, to.view().output());
  });
  return to.take();
}

nb::object scan_segments(std::string const& call, std::string const& aggregate, nb::handle x,
                         nb::handle offsets, nb::handle out, nb::handle as, flag exclusive,
                         flag reverse, bool skip) {
  auto const a = read_array(call.c_str(), "x", x);
  segments_of_array const segments(call.c_str(), offsets, a);
  any_aggregate const op(aggregate);
  auto const [shown, type, elements] = plan_of(call, op, a, as, skip);
  result to(call.c_str(), shown, a.shape, a, out);
  any_row_scan_options const all{
      .init = {}, .reverse = reverse, .totals = nullptr, .nan = skip ? tally::skip : propagate};
  run_at(call, a, [&](any_where where) {
    lines const from(where, a, {0}, {elements});
    auto const rows = segments.rows("x", from.input());
    segments.rows("out", to.view().input());  // or what is wrong with it
    std::optional<scratch> room;
    if (size_of(type) != size_of(shown)) room.emplace(where, bytes_of(type, a.shape));
    void* const results = room ? room->data() : to.view().data;
    // What is in no segment is 0; `out`, which may be x, keeps it where nothing has to be
    // converted.
    if (room || out.is_none()) fill(where, any_number(type, 0), {type, results, a.shape});
    any_row_output const places{type, results, segments.layout()};
    exclusive ? exclusive_scan(where, rows, places, op, all)
              : inclusive_scan(where, rows, places, op, all);
    if (room) copy_into(where, {type, results, a.shape}, to.view().output());
  });
  return to.take();
}

}  // namespace

void bind_scans(nb::module_& module) {
  auto const any = nb::arg().none();
  module.def("scan", scan_along, any, any, any, any, any, any, any, any, any, any);
  module.def("scan_segments", scan_segments, any, any, any, any, any, any, any, any, any);
}

}  // namespace tally::python
