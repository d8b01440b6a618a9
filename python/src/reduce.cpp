// SPDX-License-Identifier: Apache-2.0
//
// Reductions along axes, and of segments.
#include <nanobind/stl/string.h>

#include <deque>
#include <string_view>

#include "calls.hpp"

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

  // Counts are int64, and where no type is asked for, sums that the array's library has so.
  dtype shown(bound_aggregate const& op, char const* number, dtype type,
              library const& from) const {
    bool const is_signed = !op.options().as && sums_are_signed(op.elements(), from);
    bool const count = aggregate_ == "count_nonzero" || std::string_view(number).ends_with("count");
    return type == dtype::uint64 && (count || is_signed) ? dtype::int64 : type;
  }

 private:
  std::string call_, aggregate_;
  std::array<std::optional<bound_aggregate>, dtype_names.size()> known_;
};

struct options {
  nb::handle out, as;
  bool skip;
  std::uint64_t ddof;

  bool are_default() const { return as.is_none() && ddof == 0; }
  aggregate_options of_aggregate(char const* call) const {
    aggregate_options all{.ddof = ddof};
    if (!as.is_none()) all.as = dtype_of(call, as);
    return all;
  }
  reduce_options of_call() const { return {skip ? tally::skip : propagate}; }
};

// The results of a call: a number, an array, or a tuple of these.
class results {
 public:
  results(reduction const& what, bound_aggregate const& op, std::vector<std::uint64_t> const& shape,
          array const& like, nb::handle out) {
    for (auto const& number : op.numbers()) {
      auto const type = what.shown(op, number.name, number.type, *like.from);
      all_.emplace_back(what.call(), type, shape, like, out);
      outputs_.push_back(all_.back().as(number.type));
    }
  }
  std::vector<any_ndarray_output> const& outputs() const { return outputs_; }
  nb::object take() {
    if (all_.size() == 1) return all_.front().take();
    auto together = nb::steal(PyTuple_New(Py_ssize_t(all_.size())));
    for (std::size_t i = 0; i < all_.size(); ++i)
      PyTuple_SetItem(together.ptr(), Py_ssize_t(i), all_[i].take().release().ptr());
    return together;
  }

 private:
  std::deque<result> all_;
  std::vector<any_ndarray_output> outputs_;
};

// Where nothing is reduced to something, what has no answer for nothing is an error.
void require_elements(reduction const& what, bound_aggregate const& op, array const& x,
                      axes_list const& axes) {
  bool const is_mean = op.info().name == "mean" || op.info().takes_ddof;
  if (op.answers_nothing() || is_mean || reduced_count(x, axes) > 0) return;
  for (std::size_t d = 0; d < x.shape.size(); ++d)
    if (x.shape[d] == 0 && std::ranges::count(axes, d) == 0) return;
  fail_value(std::string(what.call()) + ": of no elements, which have no " +
             std::string(op.info().name));
}

nb::object reduce(reduction& what, nb::handle x, nb::handle axis, bool keepdims, nb::handle out,
                  nb::handle as, bool skip, std::uint64_t ddof, nb::handle second,
                  nb::handle valid) {
  char const* const call = what.call();
  auto a = read_array(call, "x", x);
  std::optional<array> b;
  if (!second.is_none()) b = read_array(call, "y", second);
  std::optional<array> bits;
  if (!valid.is_none()) {
    bits = read_array(call, "where", valid);
    a.valid = {static_cast<std::uint8_t const*>(bits->data), 0};
  }
  options const how{out, as, skip, ddof};
  std::optional<bound_aggregate> made;
  if (!how.are_default()) made = what.on(a.type, how.of_aggregate(call));
  auto const& op = made ? *made : what.on(a.type);
  auto const axes = axes_of(call, axis, a);
  require_elements(what, op, a, axes);
  results all(what, op, reduced_shape(a, axes, keepdims), a, out);
  run_at(a, [&](any_where where) {
    if (b)
      reduce_into(where, a.input(), b->input(), axes, all.outputs(), op, how.of_call());
    else
      reduce_into(where, a.input(), axes, all.outputs(), op, how.of_call());
  });
  return all.take();
}

nb::object reduce_segments(reduction& what, nb::handle x, nb::handle offsets, nb::handle out,
                           nb::handle as, bool skip, std::uint64_t ddof, nb::handle second) {
  char const* const call = what.call();
  auto const a = read_array(call, "x", x);
  segments_of_array const at(call, offsets, a);
  options const how{out, as, skip, ddof};
  auto const op = what.on(a.type, how.of_aggregate(call));
  results all(what, op, {at.count()}, a, out);
  std::optional<array> b;
  if (!second.is_none()) b = read_array(call, "y", second);
  run_at(a, [&](any_where where) {
    if (b)
      reduce_into(where, at.rows("x", a), at.rows("y", *b), all.outputs(), op, how.of_call());
    else
      reduce_into(where, at.rows("x", a), all.outputs(), op, how.of_call());
  });
  return all.take();
}

}  // namespace

void bind_reductions(nb::module_& module) {
  nb::class_<reduction>(module, "Reduction")
      .def(nb::init<std::string, std::string>())
      .def("gives", [](reduction const& of, nb::handle x, nb::handle as) {
        return of.gives(read_array(of.call(), "x", x).type, dtype_of(of.call(), as));
      });
  auto const any = nb::arg().none();
  module.def("reduce", reduce, nb::arg(), any, any, nb::arg(), any, any, nb::arg(), nb::arg(), any,
             any);
  module.def("reduce_segments", reduce_segments, nb::arg(), any, any, any, any, nb::arg(),
             nb::arg(), any);
}

}  // namespace tally::python
