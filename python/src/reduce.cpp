// SPDX-License-Identifier: Apache-2.0
//
// Reductions along axes, and of segments.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <string_view>

#include "lines.hpp"

namespace tally::python {
namespace {

// A function of the package: what it is called, and its aggregate.
class reduction {
 public:
  reduction(std::string call, std::string aggregate)
      : call_(std::move(call)), aggregate_(std::move(aggregate)) {}

  char const* call() const { return call_.c_str(); }

  // The aggregate of such elements, looked up once unless options are given.
  bound_aggregate const& on(dtype elements) {
    auto& known = known_[std::size_t(elements)];
    if (!known) known = on(elements, {});
    return *known;
  }
  bound_aggregate on(dtype elements, aggregate_options const& options) const {
    try {
      return any_aggregate(aggregate_, options).on(elements);
    } catch (error const& e) {
      fail_type(call_ + ": " + e.what());
    }
  }

  // Whether results of such elements may be of that type.
  bool gives(dtype elements, dtype as) const {
    auto const types = any_aggregate(aggregate_).result_types(elements);
    return std::ranges::count(types, as) > 0;
  }
  bool is_of_pairs() const { return aggregate_ == "dot"; }
  // Whether results are some of the elements.
  bool is_extremum() const { return aggregate_ == "minimum" || aggregate_ == "maximum"; }

  // Counts are int64, and where no type is asked for, sums that the library of x has so.
  dtype shown(bound_aggregate const& op, number_place const& number, array const& x) const {
    bool const is_signed = !op.options().as && sums_are_signed(x.type, *x.from);
    bool const count =
        aggregate_ == "count_nonzero" || std::string_view(number.name).ends_with("count");
    return number.type == dtype::uint64 && (count || is_signed) ? dtype::int64 : number.type;
  }

 private:
  std::string call_, aggregate_;
  std::array<std::optional<bound_aggregate>, dtype_names.size()> known_;
};

// What a call asks for beside x and the axes.
struct options {
  nb::handle out, as;
  bool skip;
  std::uint64_t ddof;
  nb::handle second, where, initial;

  reduce_options of_call() const { return {skip ? tally::skip : propagate}; }
};

// Puts a number to results of the same aggregate.
struct last_step {
  bound_aggregate op;
  any_number initial;
};

// How a call is computed: of elements of what type, with which number more, and whether results are
// converted at the end.
struct plan {
  bound_aggregate op;
  std::optional<reading> how = {};    // none: x is read as it is
  std::optional<dtype> results = {};  // none: those of op
  std::optional<last_step> last = {};
};

bool is_wide(dtype type) { return size_of(type) == 8 && !is_floating(type); }

// The type in which elements are added to a number of the type of results, which is a floating
// type. None has all integers of 64 bits and what is between them.
dtype joint_type(char const* call, dtype elements, dtype results, nb::handle initial) {
  if (!is_floating(elements)) {
    if (is_integer_number(call, "initial", initial))
      return elements == dtype::uint64 ? elements : dtype::int64;
    if (!is_wide(elements)) return dtype::float64;
    fail_value(std::string(call) + ": initial = " + nb::cast<std::string>(nb::repr(initial)) +
               " is no integer, as x's elements of 64 bits are");
  }
  if (size_of(elements) != size_of(results) || elements == results)
    return size_of(elements) > size_of(results) ? elements : results;
  return dtype::float32;  // float16 and bfloat16
}

plan plan_of(reduction& what, array const& x, options const& how) {
  char const* const call = what.call();
  bool const plain =
      how.where.is_none() && how.initial.is_none() && how.as.is_none() && how.ddof == 0;
  if (plain) return {what.on(x.type)};
  auto elements = x.type;
  aggregate_options asked{.ddof = how.ddof};
  std::optional<dtype> as, converted;
  if (!how.as.is_none()) {
    as = dtype_of(call, how.as);
    bool const are_integers = !is_floating(x.type);
    if (what.is_of_pairs() && is_floating(*as) && are_integers) elements = dtype::float64;
    if (what.gives(elements, *as))
      asked.as = as;
    else if (is_floating(*as) || !are_integers)
      elements = *as;
    if (!is_floating(*as) && is_floating(x.type) && how.skip)
      fail_type(std::string(call) + ": nan='skip' is not for dtype = " + std::string(name(*as)) +
                ", which has no NaN");
  }
  auto op = what.on(elements, asked);
  auto const results = op.numbers()[0].type;
  if (as && is_floating(results) != is_floating(*as))
    fail_type(std::string(call) + ": there are no results of dtype = " + std::string(name(*as)));
  if (as && *as != results) converted = as;
  reading read{elements};
  std::optional<last_step> last;
  // What is rounded takes the number along with the elements.
  bool const rounds = is_floating(results) && !what.is_extremum();
  if (!how.initial.is_none() && !rounds) {
    last = {what.on(results), number_of(call, "initial", how.initial, results)};
  } else if (!how.initial.is_none()) {
    read.type = joint_type(call, elements, results, how.initial);
    read.initial = number_of(call, "initial", how.initial, read.type);
    if (read.type != elements) op = what.on(read.type, asked);
  }
  bool const unread = how.where.is_none() && !read.initial && elements == x.type;
  return {op, unread ? std::nullopt : std::optional(read), converted, last};
}

// The results of a call: a number, an array, or a tuple of these.
class results {
 public:
  results(reduction const& what, plan const& by, std::vector<std::uint64_t> const& shape,
          array const& like, nb::handle out) {
    for (auto const& number : by.op.numbers())
      all_.emplace_back(what.call(), by.results.value_or(what.shown(by.op, number, like)), shape,
                        like, out);
  }

  // Calls f(outputs) with room for results, of which `ones` have an axis of one.
  template <class F>
  void write(any_where where, plan const& by, axes_list const& ones, F const& f) const {
    std::vector<any_ndarray_output> outputs;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      outputs.push_back(all_[i].without(ones));
      outputs.back().type = by.op.numbers()[i].type;
    }
    if (!by.results) return f(outputs);
    auto const to = all_[0].without(ones);
    scratch const room(where, bytes_of(outputs[0].type, all_[0].view().shape));
    any_ndarray_output const whole(outputs[0].type, room.data(), to.shape);
    f(std::vector{whole});
    copy_into(where, {whole.type, whole.data, whole.shape}, to);
  }
  nb::object take() {
    if (all_.size() == 1) return all_.front().take();
    auto together = nb::steal(PyTuple_New(Py_ssize_t(all_.size())));
    for (std::size_t i = 0; i < all_.size(); ++i)
      PyTuple_SetItem(together.ptr(), Py_ssize_t(i), all_[i].take().release().ptr());
    return together;
  }

 private:
  std::deque<result> all_;
};

// Where nothing is reduced to something, what has no answer for nothing is an error.
void require_elements(reduction const& what, bound_aggregate const& op, array const& x,
                      axes_list const& axes, bool where) {
  if (!where && reduced_count(x, axes) > 0) return;
  bool const is_mean = op.info().name == "mean" || op.info().takes_ddof;
  if (is_mean || op.answers_nothing()) return;
  if (where)
    fail_value(std::string(what.call()) +
               ": where may leave no element, so that initial is needed");
  for (std::size_t d = 0; d < x.shape.size(); ++d)
    if (x.shape[d] == 0 && std::ranges::count(axes, d) == 0) return;
  auto const name = op.info().name;
  fail_value(std::string(what.call()) + ": of no elements, which have no " +
             std::string(name == "min_max" ? "extrema" : name));
}

// y, which has x's type and shape.
array second_of(char const* call, nb::handle y, array const& x) {
  auto const other = read_array(call, "y", y);
  if (other.type != x.type)
    fail_type(std::string(call) + ": y holds " + std::string(name(other.type)) + ", and x " +
              std::string(name(x.type)));
  if (other.shape != x.shape)
    fail_value(std::string(call) + ": x and y have different shapes, " + text_of(x.shape) +
               " and " + text_of(other.shape));
  if (other.device != x.device) fail_value(std::string(call) + ": y lies on another device than x");
  return other;
}

// Calls run(room for results), and puts the last number to each.
template <class F>
void run_last(any_where there, last_step const& last, std::vector<std::uint64_t> const& shape,
              std::vector<any_ndarray_output> const& outputs, reduce_options options,
              F const& run) {
  auto const type = outputs[0].type;
  array found{.type = type, .shape = shape, .strides = c_order(shape)};
  scratch const room(there, bytes_of(type, shape));
  found.data = room.data();
  run({any_ndarray_output(type, found.data, shape)});
  lines const pairs(there, found, {}, {type, {}, last.initial});
  reduce_into(there, pairs.input(), pairs.axes(), outputs, last.op, options);
}

nb::object reduce(reduction& what, nb::handle x, nb::handle axis, flag keepdims, nb::handle out,
                  nb::handle as, bool skip, std::uint64_t ddof, nb::handle second, nb::handle where,
                  nb::handle initial) {
  char const* const call = what.call();
  auto a = read_array(call, "x", x);
  options const asked{out, as, skip, ddof, second, where, initial};
  auto by = plan_of(what, a, asked);
  auto const axes = axes_of(call, axis, a);
  if (initial.is_none()) require_elements(what, by.op, a, axes, !where.is_none());
  std::optional<array> b;
  if (!second.is_none()) b = second_of(call, second, a);
  if (!where.is_none()) by.how->where = mask_of(call, where, a);
  if (by.how && (by.how->where || by.how->initial)) a = without_nulls(call, a, skip, by.how->where);
  results all(what, by, reduced_shape(a, axes, keepdims), a, out);
  axes_list const ones = keepdims ? axes : axes_list{};
  run_at(call, a, [&](any_where there) {
    std::optional<lines> prepared, second_prepared;
    if (by.how) prepared.emplace(there, a, axes, *by.how);
    if (by.how && b) second_prepared.emplace(there, *b, axes, *by.how);
    auto const in = prepared ? prepared->input() : a.input();
    auto const& along = prepared ? prepared->axes() : axes;
    auto const run = [&](std::vector<any_ndarray_output> const& outputs) {
      if (b)
        reduce_into(there, in, second_prepared ? second_prepared->input() : b->input(), along,
                    outputs, by.op, asked.of_call());
      else
        reduce_into(there, in, along, outputs, by.op, asked.of_call());
    };
    all.write(there, by, ones, [&](auto const& outputs) {
      if (by.last)
        run_last(there, *by.last, reduced_shape(a, axes, false), outputs, asked.of_call(), run);
      else
        run(outputs);
    });
  });
  return all.take();
}

nb::object reduce_segments(reduction& what, nb::handle x, nb::handle offsets, nb::handle out,
                           nb::handle as, bool skip, std::uint64_t ddof, nb::handle second) {
  char const* const call = what.call();
  auto const a = read_array(call, "x", x);
  segments_of_array const at(call, offsets, a);
  auto const none = nb::none();
  options const asked{out, as, skip, ddof, second, none, none};
  auto const by = plan_of(what, a, asked);
  std::optional<array> b;
  if (!second.is_none()) b = second_of(call, second, a);
  results all(what, by, {at.count()}, a, out);
  run_at(call, a, [&](any_where there) {
    auto const how = by.how.value_or(reading{a.type});
    lines const first(there, a, {0}, how);
    all.write(there, by, {}, [&](auto const& outputs) {
      auto const rows = at.rows("x", first.input());
      if (!b) return reduce_into(there, rows, outputs, by.op, asked.of_call());
      lines const second_lines(there, *b, {0}, how);
      reduce_into(there, rows, at.rows("y", second_lines.input()), outputs, by.op, asked.of_call());
    });
  });
  return all.take();
}

}  // namespace

void bind_reductions(nb::module_& module) {
  nb::class_<reduction>(module, "Reduction").def(nb::init<std::string, std::string>());
  auto const any = nb::arg().none();
  module.def("reduce", reduce, nb::arg(), any, any, any, any, any, any, any, any, any, any);
  module.def("reduce_segments", reduce_segments, nb::arg(), any, any, any, any, any, any, any);
}

}  // namespace tally::python
