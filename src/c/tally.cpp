// SPDX-License-Identifier: Apache-2.0
#include "tally/tally.h"

#include <algorithm>
#include <new>
#include <type_traits>
#include <variant>

#include "tally/automatic.hpp"
#include "tally/gpu.hpp"
#include "tally/ndarray.hpp"

struct tally_where {
  std::variant<tally::cpu, tally::gpu> place;

  tally::any_where get() {
    return std::visit([](auto& there) { return tally::any_where(there); }, place);
  }
};

namespace {

using namespace tally;

thread_local std::string message;

template <class F>
int guarded(F&& call) {
  try {
    call();
    return TALLY_OK;
  } catch (std::bad_alloc const&) {
    message = "out of memory";
    return TALLY_NO_MEMORY;
  } catch (std::exception const& e) {
    message = e.what();
    return TALLY_WRONG;
  }
}

// What must be there.
template <class T>
T& given(char const* argument, T* x) {
  if (!x) throw error(std::string(argument) + " is null");
  return *x;
}

dtype type_of(char const* argument, std::int32_t type) {
  if (type < 0 || std::size_t(type) >= dtype_names.size())
    throw error(std::string(argument) + ": dtype = " + std::to_string(type) + " is none");
  return dtype(type);
}

void require_count(char const* argument, char const* what, std::int32_t count) {
  if (count < 0) throw error(std::string(argument) + ": " + what + " = " + std::to_string(count));
}

template <class Array>
Array array_of(char const* argument, tally_array const* x) {
  auto const& from = given(argument, x);
  std::vector<std::uint64_t> shape;
  require_count(argument, "dimensions", from.dimensions);
  for (std::int32_t d = 0; d < from.dimensions; ++d) {
    auto const extent = given("shape", from.shape + d);
    if (extent < 0)
      throw error(std::string(argument) + ": shape[" + std::to_string(d) +
                  "] = " + std::to_string(extent));
    shape.push_back(std::uint64_t(extent));
  }
  auto const type = type_of(argument, from.dtype);
  if (!from.data && std::ranges::count(shape, 0u) == 0)
    throw error(std::string(argument) + ": data is null");
  if (!from.strides) return {type, from.data, std::move(shape)};
  return {type, from.data, std::move(shape), {from.strides, from.strides + from.dimensions}};
}
any_ndarray array_in(char const* argument, tally_array const* x) {
  auto all = array_of<any_ndarray>(argument, x);
  all.valid = {x->valid, x->valid_offset};
  return all;
}
any_ndarray_output array_out(char const* argument, tally_array const* x) {
  if (given(argument, x).valid)
    throw error(std::string(argument) + ": valid is not null, but it is written");
  return array_of<any_ndarray_output>(argument, x);
}
std::vector<any_ndarray_output> outputs_of(std::int32_t count, tally_array const* x) {
  require_count("outputs", "output_count", count);
  std::vector<any_ndarray_output> all;
  for (std::int32_t i = 0; i < count; ++i) all.push_back(array_out("outputs", x + i));
  return all;
}

std::size_t axis_of(std::int32_t axis, std::int32_t dimensions) {
  if (axis < -dimensions || axis >= dimensions)
    throw error("axis = " + std::to_string(axis) + " of an array of " + std::to_string(dimensions) +
                " dimensions");
  return std::size_t(axis < 0 ? axis + dimensions : axis);
}
axes_list axes_of(std::int32_t count, std::int32_t const* axes, tally_array const* in) {
  require_count("axes", "axis_count", count);
  axes_list all;
  for (std::int32_t i = 0; i < count; ++i)
    all.push_back(axis_of(given("axes", axes + i), given("in", in).dimensions));
  return all;
}

// There is one interface so far, whose options have one size.
tally_options options_of(tally_options const* options) {
  tally_options const all = TALLY_OPTIONS;
  if (!options) return all;
  if (options->size != sizeof all)
    throw error("options: size = " + std::to_string(options->size) + ", not " +
                std::to_string(sizeof all) + " as interface 1 has it");
  return *options;
}
nan_policy nan_of(tally_options const& options) { return options.skip_nan ? skip : propagate; }

bound_aggregate aggregate_of(char const* name, dtype elements, tally_options const& options) {
  aggregate_options how{.ddof = options.ddof};
  if (options.as != TALLY_UNKNOWN) how.as = type_of("as", options.as);
  return any_aggregate(&given("aggregate", name), how).on(elements);
}

any_ndarray_scan_options scan_options_of(tally_options const& options, dtype out) {
  any_ndarray_scan_options how{
      .exclusive = options.exclusive != 0, .reverse = options.reverse != 0, .nan = nan_of(options)};
  if (options.init) how.init = any_number::at(out, options.init);
  return how;
}
top_k_options top_k_options_of(tally_options const& options) {
  return {.order = options.smallest ? smallest : largest,
          .sorted = !options.by_index,
          .distinct = options.distinct != 0,
          .nan = nan_of(options)};
}
quantile_options quantile_options_of(tally_options const& options) {
  if (options.method < 0 || options.method > TALLY_MIDPOINT)
    throw error("method = " + std::to_string(options.method) + " is none");
  return {.method = interpolation(options.method), .nan = nan_of(options)};
}

// Calls f with the quantiles, doubles or fractions.
template <class F>
void with_places(std::size_t count, double const* q, tally_fraction const* fractions, F const& f) {
  if (q || count == 0) return f(std::span(q, count));
  std::vector<fraction> all;
  for (std::size_t i = 0; i < count; ++i) {
    auto const& one = given("q", fractions + i);
    all.push_back({one.numerator, one.denominator});
  }
  f(std::span<fraction const>(all));
}

// Segments of an array of one dimension, whose elements lie side by side.
row_layout segments_of(tally_array const* offsets, std::uint64_t longest) {
  auto const at = array_in("offsets", offsets);
  if (at.valid) throw error("offsets: valid is not null, but each is there");
  if (at.type != dtype::int64 || at.shape.size() != 1 || (at.shape[0] > 1 && at.strides[0] != 1))
    throw error("offsets: not an array of TALLY_INT64 of one dimension, side by side");
  if (at.shape[0] == 0) return {.count = 0, .length = 0};
  auto const* const first = static_cast<std::int64_t const*>(at.data);
  return {.count = at.shape[0] - 1,
          .length = longest,
          .starts = first,
          .lengths = first + 1,
          .lengths_from = first};
}
template <class Array>
void require_line(char const* argument, Array const& x) {
  if (x.shape.size() != 1 || (x.shape[0] > 1 && x.strides[0] != 1))
    throw error(std::string(argument) + ": not an array of one dimension, side by side");
}
any_rows segments_of(char const* argument, tally_where& where, tally_array const* in,
                     tally_array const* offsets, std::uint64_t longest) {
  auto const x = array_in(argument, in);
  require_line(argument, x);
  bool const here = std::holds_alternative<cpu>(where.place);
  any_rows rows(x.type, x.data, segments_of(offsets, here ? x.shape[0] : longest));
  rows.array_size = x.shape[0], rows.valid = x.valid;
  return rows;
}
// Room for the results of segments, so many for each.
any_output room_of(char const* argument, tally_array const* out, std::uint64_t segments,
                   std::uint64_t each) {
  auto const x = array_out(argument, out);
  bool fits = x.shape == std::vector<std::uint64_t>{segments, each};
  auto const in_order = any_ndarray(x.type, x.data, x.shape).strides;
  for (std::size_t d = 0; fits && segments * each > 0 && d < 2; ++d)
    fits = x.shape[d] == 1 || x.strides[d] == in_order[d];
  if (!fits)
    throw error(std::string(argument) + ": not of the shape (" + std::to_string(segments) + ", " +
                std::to_string(each) + "), in C order");
  return {x.type, x.data, segments * each};
}
std::span<std::int64_t> indices_in(any_output const& x) {
  if (x.type != dtype::int64) throw error("indices: not of TALLY_INT64");
  return {static_cast<std::int64_t*>(x.data), std::size_t(x.size)};
}

}  // namespace

extern "C" {

int tally_interface(void) { return TALLY_INTERFACE; }
char const* tally_message(void) { return message.c_str(); }

int tally_cpu(int32_t threads, tally_where** where) {
  return guarded([&] { given("where", where) = new tally_where{cpu{int(threads)}}; });
}
int tally_gpu(int32_t device, void* stream, tally_where** where) {
  return guarded([&] {
    if (device < -1) throw error("gpu: device = " + std::to_string(device));
    gpu there{.stream = static_cast<CUstream_st*>(stream), .device = int(device)};
    given("where", where) = new tally_where{std::move(there)};
  });
}
void tally_close(tally_where* where) { delete where; }
int tally_synchronise(tally_where* where) {
  return guarded([&] {
    if (auto* const there = std::get_if<gpu>(&given("where", where).place)) there->synchronise();
  });
}
int tally_gpu_holding(void const* data) { return tally::detail::gpu_holding(data); }

char const* tally_aggregate_name(int32_t index) {
  auto const all = aggregates();
  return index < 0 || std::size_t(index) >= all.size() ? nullptr
                                                       : all[std::size_t(index)].name.data();
}
int tally_results(char const* aggregate, int32_t elements, tally_options const* options,
                  int32_t* count, tally_number* numbers) {
  return guarded([&] {
    auto const op = aggregate_of(aggregate, type_of("elements", elements), options_of(options));
    given("count", count) = int32_t(op.numbers().size());
    for (auto const& n : op.numbers())
      if (numbers) *numbers++ = {n.name, int32_t(n.type)};
  });
}

int tally_reduce(tally_where* where, char const* aggregate, tally_array const* a,
                 tally_array const* b, int32_t axis_count, int32_t const* axes,
                 int32_t output_count, tally_array const* outputs, tally_options const* options) {
  return guarded([&] {
    auto const how = options_of(options);
    auto const in = array_in(b ? "a" : "in", a);
    auto const op = aggregate_of(aggregate, in.type, how);
    auto const along = axes_of(axis_count, axes, a);
    auto const out = outputs_of(output_count, outputs);
    auto const there = given("where", where).get();
    if (b)
      reduce_into(there, in, array_in("b", b), along, out, op, {nan_of(how)});
    else
      reduce_into(there, in, along, out, op, {nan_of(how)});
  });
}

int tally_scan(tally_where* where, char const* aggregate, tally_array const* in, int32_t axis_count,
               int32_t const* axes, tally_array const* out, tally_options const* options) {
  return guarded([&] {
    auto const to = array_out("out", out);
    scan(given("where", where).get(), array_in("in", in), axes_of(axis_count, axes, in), to,
         any_aggregate(&given("aggregate", aggregate)),
         scan_options_of(options_of(options), to.type));
  });
}

int tally_top_k(tally_where* where, tally_array const* in, int32_t axis, uint64_t k,
                tally_array const* values, tally_array const* indices,
                tally_options const* options) {
  return guarded([&] {
    top_k_into(given("where", where).get(), array_in("in", in),
               axis_of(axis, given("in", in).dimensions), k, array_out("values", values),
               array_out("indices", indices), top_k_options_of(options_of(options)));
  });
}

int tally_top_k_biased(tally_where* where, tally_array const* in, tally_array const* bias,
                       int32_t axis, uint64_t k, tally_array const* values,
                       tally_array const* indices, tally_options const* options) {
  return guarded([&] {
    top_k_into(given("where", where).get(), array_in("in", in), array_in("bias", bias),
               axis_of(axis, given("in", in).dimensions), k, array_out("values", values),
               array_out("indices", indices), top_k_options_of(options_of(options)));
  });
}

int tally_kth_value(tally_where* where, tally_array const* in, int32_t axis_count,
                    int32_t const* axes, uint64_t k, tally_array const* values,
                    tally_array const* indices, tally_options const* options) {
  return guarded([&] {
    auto const how = options_of(options);
    kth_value_into(given("where", where).get(), array_in("in", in), axes_of(axis_count, axes, in),
                   k, array_out("values", values), array_out("indices", indices),
                   {how.largest ? largest : smallest, nan_of(how)});
  });
}

int tally_quantile(tally_where* where, tally_array const* in, int32_t axis_count,
                   int32_t const* axes, size_t count, double const* q,
                   tally_fraction const* fractions, tally_array const* out,
                   tally_options const* options) {
  return guarded([&] {
    with_places(count, q, fractions, [&](auto const& places) {
      quantile_into(given("where", where).get(), array_in("in", in), axes_of(axis_count, axes, in),
                    places, array_out("out", out), quantile_options_of(options_of(options)));
    });
  });
}

int tally_reduce_segments(tally_where* where, char const* aggregate, tally_array const* a,
                          tally_array const* b, tally_array const* offsets, uint64_t longest,
                          int32_t output_count, tally_array const* outputs,
                          tally_options const* options) {
  return guarded([&] {
    auto const how = options_of(options);
    auto& place = given("where", where);
    auto const in = segments_of(b ? "a" : "in", place, a, offsets, longest);
    auto const op = aggregate_of(aggregate, in.type, how);
    auto const out = outputs_of(output_count, outputs);
    if (b)
      reduce_into(place.get(), in, segments_of("b", place, b, offsets, longest), out, op,
                  {nan_of(how)});
    else
      reduce_into(place.get(), in, out, op, {nan_of(how)});
  });
}

int tally_scan_segments(tally_where* where, char const* aggregate, tally_array const* in,
                        tally_array const* offsets, uint64_t longest, tally_array const* out,
                        tally_options const* options) {
  return guarded([&] {
    auto& place = given("where", where);
    auto const x = segments_of("in", place, in, offsets, longest);
    auto const to = array_out("out", out);
    require_line("out", to);
    if (to.shape[0] != x.array_size)
      throw error("scan: out has " + std::to_string(to.shape[0]) + " elements, in has " +
                  std::to_string(x.array_size));
    auto const how = scan_options_of(options_of(options), to.type);
    any_row_scan_options const each{
        .init = how.init, .reverse = how.reverse, .totals = nullptr, .nan = how.nan};
    any_aggregate const op(&given("aggregate", aggregate));
    any_row_output const results{to.type, to.data, x.layout};
    how.exclusive ? exclusive_scan(place.get(), x, results, op, each)
                  : inclusive_scan(place.get(), x, results, op, each);
  });
}

int tally_top_k_segments(tally_where* where, tally_array const* in, tally_array const* offsets,
                         uint64_t longest, uint64_t k, tally_array const* values,
                         tally_array const* indices, tally_options const* options) {
  return guarded([&] {
    auto& place = given("where", where);
    auto const x = segments_of("in", place, in, offsets, longest);
    auto const count = x.layout.count;
    top_k_into(place.get(), x, k, room_of("values", values, count, k),
               indices_in(room_of("indices", indices, count, k)), nullptr,
               top_k_options_of(options_of(options)));
  });
}

int tally_quantile_segments(tally_where* where, tally_array const* in, tally_array const* offsets,
                            uint64_t longest, size_t count, double const* q,
                            tally_fraction const* fractions, tally_array const* out,
                            tally_options const* options) {
  return guarded([&] {
    auto& place = given("where", where);
    auto const x = segments_of("in", place, in, offsets, longest);
    with_places(count, q, fractions, [&](auto const& places) {
      quantile_into(place.get(), x, places, room_of("out", out, x.layout.count, count),
                    quantile_options_of(options_of(options)));
    });
  });
}
}
