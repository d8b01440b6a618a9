// SPDX-License-Identifier: Apache-2.0
#include "rows.hpp"

#include <algorithm>

#include "commands.hpp"
#include "option_values.hpp"
#include "reduction.hpp"
#include "rounding.hpp"
#include "row_answer.hpp"
#include "row_input.hpp"
#include "row_integers.hpp"
#include "scan.hpp"
#include "tally/error.hpp"

namespace tally::cli {
namespace {

// The type that numbers are told in: --out-dtype may be an integer of the same bits.
dtype shown_type(dtype type, arguments const& options) {
  bool const is_integer = type == dtype::int64 || type == dtype::uint64;
  return is_integer && is_wrapped(options.out_type) ? *options.out_type : type;
}

std::vector<column> columns_of(std::span<std::byte const> results, bound_aggregate const& op,
                               arguments const& options) {
  auto const bytes = op.result_bytes();
  std::vector<column> all;
  if (op.options().wide) all.push_back({"value", {}});
  for (auto const& place : op.numbers()) all.push_back({place.name, {}});
  auto const type = op.results().begin()->value.type;
  for (auto const* at = results.data(); at < results.data() + results.size(); at += bytes) {
    if (op.options().wide) all[0].values.emplace_back(type, read<wide_integer>(at));
    for (std::size_t i = 0; i < op.numbers().size(); ++i)
      all[i].values.emplace_back(
          any_number::at(shown_type(op.numbers()[i].type, options), at + op.numbers()[i].offset));
  }
  return all;
}

// A line a row, under names.
void tell_columns(answer& to, std::vector<column> const& all,
                  std::vector<std::uint64_t> const& shape) {
  std::string names;
  for (auto const& c : all) names += (names.empty() ? "" : "\t") + c.name;
  to.lines.push_back(names);
  for (std::size_t r = 0; r < all[0].values.size(); ++r) {
    to.lines.emplace_back();
    for (auto const& c : all) to.lines.back() += (&c == &all[0] ? "" : "\t") + c.values[r].text();
  }
  for (auto const& c : all) {
    to.keys[c.name] = values_of(shape, c.values);
    if (!c.values.empty() && c.values[0].is_floating())
      to.keys[c.name + "_bits"] = bits_of(shape, c.values);
  }
}

// Of a description, as it is told of an array: all elements are counted, and what is an answer of
// another command, as a sum is, is shown as there. run(op) has the results of another aggregate.
template <class F>
void show_as_of_arrays(std::vector<column>& all, reduction_settings const& settings,
                       arguments const& options, F const& run) {
  for (auto& c : all) {
    auto const* const own = command_named(c.name);
    if (own && (own->options & grows)) {
      auto const op = aggregate_of(
          {.command = own, .type = settings.type, .skip_nan = settings.skip_nan, .out_type = {}});
      c.values = columns_of(run(op), op, options)[0].values;
    }
    if (c.name != "count") continue;
    auto const nan = std::ranges::find(all, "nan_count", &column::name);
    for (std::size_t r = 0; nan != all.end() && r < c.values.size(); ++r)
      c.values[r] = number(
          std::uint64_t(std::stoull(c.values[r].text()) + std::stoull(nan->values[r].text())));
  }
}

// What JSON of an array has beside the result. run(op) has the results of another aggregate.
template <class F>
void put_beside(answer& to, reduction_settings const& settings, arguments const& options,
                row_shape const& shape, bound_aggregate const& op, F const& run) {
  if (op.info().takes_ddof) to.keys["ddof"] = settings.ddof;
  if (auto const index = settings.command->index; !index.empty()) {
    auto const found = any_aggregate(index).on(settings.type);
    to.keys["index"] = values_of(shape.kept(), columns_of(run(found), found, options)[0].values);
  }
}

void put_results(row_answer& to, arguments const& options, row_shape const& shape,
                 std::span<std::byte const> results, std::vector<column> const& columns,
                 bound_aggregate const& op) {
  auto const type = op.results().begin()->value.type;
  if (columns.size() > 1) {
    if (options.output) throw usage_error("-o: takes results of one number");
    tell_columns(to.told(), columns, shape.kept());
  } else if (options.output && op.options().wide) {
    std::vector<told_integer> all;
    for (auto const& x : columns[0].values) all.push_back({x.text(), x.type_name()});
    to.write(as_elements(all, type), type, shape.kept());
  } else if (options.output) {
    to.write(results, shown_type(type, options), shape.kept());
  } else {
    to.put(columns[0].values, shown_type(type, options), shape.kept(), shape.a_line());
  }
}

// Whether a result of a text's integers is not what it is in full, as of an array.
bool is_any_rounded(arguments const& options, row_input& in, reduction_settings const& settings,
                    std::span<std::byte const> results, bound_aggregate const& op) {
  if (!in.source().is_text() || options.out_type || op.options().wide) return false;
  for (std::uint64_t r = 0; r < in.shape().rows().count; ++r)
    for (auto const& place : op.numbers()) {
      auto const value =
          any_number::at(place.type, results.data() + r * op.result_bytes() + place.offset);
      if (!is_large(value)) continue;
      auto const row = in.row(r);
      auto const x = array_of(in.type(), row);
      auto const others = [&](bound_aggregate const& what) {
        return reduce(options.where, x, what);
      };
      auto const name = op.numbers().size() > 1 ? place.name : op.info().name;
      if (is_rounded(settings, name, value, others, x.size)) return true;
    }
  return false;
}

row_layout side_by_side(std::uint64_t count) { return {.count = count, .length = 1, .stride = 1}; }

// One input, or two.
void reduce_inputs(arguments const& options, std::vector<row_input*> const& inputs,
                   stopwatch const& watch) {
  auto& in = *inputs[0];
  auto const settings = reduction_settings_of(options, in.type());
  auto const op = aggregate_of(settings);
  row_call call(options, {inputs.begin(), inputs.end()});
  row_answer found(options, in);
  bool done = has_all_digits(settings);
  if (done) put_products(found, options, in, settings);
  for (auto* x : inputs) done = put_large_sums(found, options, *x) || done;
  if (done) return found.print(call, watch);
  auto const count = in.shape().rows().count;
  auto const run = [&](bound_aggregate const& what) {
    auto* const out = call.room(std::size_t(count * what.result_bytes()));
    if (inputs.size() == 1)
      reduce_into(call.where(), call.in(), out, side_by_side(count), what, {settings.nan()});
    else
      reduce_into(call.where(), call.in(0), call.in(1), out, side_by_side(count), what,
                  {settings.nan()});
    return call.results(out);
  };
  auto const results = run(op);
  auto columns = columns_of(results, op, options);
  if (columns.size() > 1) show_as_of_arrays(columns, settings, options, run);
  put_results(found, options, in.shape(), results, columns, op);
  if (options.json) put_beside(found.told(), settings, options, in.shape(), op, run);
  if (inputs.size() == 1) found.told().rounded = is_any_rounded(options, in, settings, results, op);
  found.print(call, watch);
}

// Sums that do not fit, which a file of elements cannot have.
void require_no_wrap(row_input const& in, dtype out, std::optional<any_number> const& init,
                     arguments const& options) {
  if (is_floating(out) || options.out_type) return;
  auto const op = any_aggregate("min_max").on(in.type());
  auto const ends = reduce(options.where, in.elements(), op);
  auto const size = [](any_number const& x) {
    bool const negative = x.type != dtype::uint64 && std::int64_t(x.bits) < 0;
    return static_cast<unsigned __int128>(negative ? -x.bits : x.bits);
  };
  auto const most = std::max(size(ends["minimum"]), size(ends["maximum"]));
  auto const before = init ? size(*init) : 0;
  if (most * in.shape().rows().length + before >= std::uint64_t(1) << 63)
    throw error(
        "scan: sums of rows may be beyond 2^63; --out-dtype int64 or uint64 gives them modulo "
        "2^64");
}

// A scan has a result for each element, of which each is in a segment.
void require_no_gap(row_input& in) {
  auto const& offsets = in.shape().offsets();
  if (offsets.empty()) return;
  auto const n = in.elements().size;
  bool const front = offsets.front() > 0;
  if (!front && std::uint64_t(offsets.back()) == n) return;
  throw error("scan: " + in.source().name() + " has elements in no segment, from " +
              std::to_string(front ? 0 : offsets.back()) + " to " +
              std::to_string(front ? std::uint64_t(offsets.front()) : n) + "; offsets from 0 to " +
              std::to_string(n) + " have all");
}

}  // namespace

void reduce_rows(arguments const& options) {
  stopwatch const watch;
  row_input in(options.files, options);
  reduce_inputs(options, {&in}, watch);
}

void dot_of_rows(arguments const& options) {
  stopwatch const watch;
  if (options.files.size() != 2) throw usage_error("dot: takes two files, A and B");
  row_input a({options.files[0]}, options), b({options.files[1]}, options);
  if (a.type() != b.type())
    throw error("dot: needs two arrays of one type: " + a.source().name() + " holds " +
                std::string(name(a.type())) + ", " + b.source().name() + " " +
                std::string(name(b.type())));
  reduce_inputs(options, {&a, &b}, watch);
}

void count_rows(arguments const& options) {
  stopwatch const watch;
  row_input in(options.files, options);
  std::vector<number> counts;
  for (std::uint64_t r = 0; r < in.shape().rows().count; ++r) {
    std::uint64_t n = in.shape().rows().size(r);
    if (options.skip_nan) {
      auto const row = in.row(r);
      n -= count_nan(options.where, array_of(in.type(), row));
    }
    counts.emplace_back(n);
  }
  row_answer found(options, in);
  found.put(counts, dtype::uint64, in.shape().kept(), in.shape().a_line());
  found.print(row_call(options, {&in}), watch, options.skip_nan);
}

void scan_rows(arguments const& options) {
  stopwatch const watch;
  row_input in(options.files, options);
  require_no_gap(in);
  any_aggregate const op("sum");
  auto const type = scan_type_of(options, in.type());
  any_row_scan_options how{.reverse = options.reverse, .nan = options.nan()};
  if (options.init) {
    any_number init(type, 0);
    parse_number("--init", *options.init, init);
    how.init = init;
  }
  require_no_wrap(in, type, how.init, options);
  row_call call(options, {&in});
  auto const n = in.elements().size;
  auto* const out = call.room(std::size_t(n * size_of(type)));
  auto const x = call.in();
  any_row_output const to{type, out, x.layout};
  options.exclusive ? exclusive_scan(call.where(), x, to, op, how)
                    : inclusive_scan(call.where(), x, to, op, how);
  row_answer found(options, in);
  auto const results = call.results(out);
  auto const& shape = in.shape().shape();
  if (options.output)
    found.write(results, type, shape);
  else
    found.put(numbers_in(results, type), type, shape, shape.back());
  found.print(call, watch);
}

}  // namespace tally::cli
