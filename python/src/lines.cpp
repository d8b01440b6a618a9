// SPDX-License-Identifier: Apache-2.0
#include "lines.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>

#include "tally/element_steps.hpp"

namespace tally::python {
namespace {

// The dimensions of x in another order: those that are kept, then those of the axes.
std::vector<std::size_t> turned(array const& x, axes_list const& axes) {
  std::vector<std::size_t> order;
  for (bool const reduced : {false, true})
    for (std::size_t d = 0; d < x.shape.size(); ++d)
      if ((std::ranges::count(axes, d) > 0) == reduced) order.push_back(d);
  return order;
}

template <class T>
std::vector<T> in_order(std::vector<T> const& all, std::vector<std::size_t> const& order) {
  std::vector<T> some;
  for (auto const d : order) some.push_back(all[d]);
  return some;
}

// A number of Python's, whatever array it may be.
any_number any_number_of(char const* call, char const* argument, nb::handle x) {
  if (PyBool_Check(x.ptr())) return any_number(x.ptr() == Py_True);
  if (PyFloat_Check(x.ptr())) return any_number(PyFloat_AsDouble(x.ptr()));
  auto const fail = [&](std::string const& what) {
    fail_value(std::string(call) + ": " + argument + " = " + nb::cast<std::string>(nb::repr(x)) +
               what);
  };
  if (PyLong_Check(x.ptr())) {
    int beyond = 0;
    auto const value = PyLong_AsLongLongAndOverflow(x.ptr(), &beyond);
    if (beyond == 0) return any_number(std::int64_t(value));
    auto const large = PyLong_AsUnsignedLongLong(x.ptr());
    if (!PyErr_Occurred()) return any_number(std::uint64_t(large));
    PyErr_Clear();
    fail(" is beyond 64 bits");
  }
  auto const one = read_array(call, argument, x);
  if (one.device != array::host || one.size() != 1 || one.valid) fail(" is no number");
  return any_number::at(one.type, one.data);
}

// As another type has it; nothing where that is another integer.
std::optional<any_number> as_type(any_number const& x, dtype type) {
  return visit(x.type, [&]<class From>(std::type_identity<From>) {
    return visit(type, [&]<class To>(std::type_identity<To>) -> std::optional<any_number> {
      auto const from = x.as<From>();
      auto const to = detail::converted<To>(from);
      bool same = true;
      if constexpr (tally::integer<To> && tally::floating<From>) {
        auto const value = detail::converted<double>(from);
        same = detail::converted<double>(to) == value &&
               value < std::ldexp(1.0, std::numeric_limits<To>::digits);
      } else if constexpr (tally::integer<To>) {
        same = detail::converted<From>(to) == from && (to < To(0)) == (from < From(0));
      }
      return same ? std::optional(any_number(to)) : std::nullopt;
    });
  });
}

}  // namespace

lines::lines(any_where where, array const& x, axes_list const& axes, reading const& how)
    : axes_(how.initial ? axes_list{x.shape.size() - axes.size()} : axes), input_(x.input()) {
  bool const as_it_is = !how.initial && how.type == x.type && lies_in_c_order(x);
  if (!as_it_is) input_ = joined(where, x, axes, how.type, how.initial);
  if (!how.initial) input_.valid = x.valid;
  if (!how.where) return;
  auto mask = how.where->input();
  if (how.initial || !lies_in_c_order(*how.where))
    mask = joined(where, *how.where, axes, dtype::boolean,
                  how.initial ? std::optional(any_number(true)) : std::nullopt);
  std::uint64_t count = 1;
  for (auto const extent : mask.shape) count *= extent;
  auto* const bits =
      static_cast<std::uint8_t*>(memory_.emplace_back(where, (count + 7) / 8).data());
  pack_bits(where, static_cast<bool const*>(mask.data), count, bits);
  input_.valid = {bits, 0, true};
}

// A copy in C order; with an initial number the elements of each result are one axis, the last, and
// it comes before them.
any_ndarray lines::joined(any_where where, array const& x, axes_list const& axes, dtype type,
                          std::optional<any_number> const& initial) {
  if (!initial) {
    auto* const to = memory_.emplace_back(where, bytes_of(type, x.shape)).data();
    copy_into(where, {x.type, x.data, x.shape, x.strides}, {type, to, x.shape});
    return {type, to, x.shape};
  }
  auto const order = turned(x, axes);
  std::size_t const kept = x.shape.size() - axes.size();
  auto const shape = in_order(x.shape, order);
  std::vector<std::uint64_t> places(shape.begin(), shape.begin() + std::ptrdiff_t(kept));
  auto all = places;
  all.push_back(reduced_count(x, axes) + 1);
  any_ndarray_output const whole(type, nullptr, all);
  auto* const to = static_cast<std::byte*>(memory_.emplace_back(where, bytes_of(type, all)).data());

  auto strides = c_order(shape);
  for (std::size_t d = 0; d < kept; ++d) strides[d] = whole.strides[d];
  copy_into(where, {x.type, x.data, shape, in_order(x.strides, order)},
            {type, to + size_of(type), shape, strides});
  strides.resize(kept);
  fill(where, *initial, {type, to, places, strides});
  return {type, to, all};
}

array mask_of(char const* call, nb::handle where, array const& x) {
  auto mask = read_array(call, "where", where);
  std::string const prefix = std::string(call) + ": where ";
  if (mask.type != dtype::boolean)
    fail_type(prefix + "holds " + std::string(name(mask.type)) + ", not bool");
  if (mask.device != x.device) fail_value(prefix + "lies on another device than x");
  if (mask.valid) fail_value(prefix + "has nulls");
  if (!broadcast_to(mask, x.shape))
    fail_value(prefix + "has the shape " + text_of(mask.shape) + ", and x " + text_of(x.shape));
  return mask;
}

array without_nulls(char const* call, array const& x, bool skip, std::optional<array>& mask) {
  if (!x.valid) return x;
  auto all = x;
  all.valid = {};
  if (skip) {  // Arrow's columns have one dimension
    auto const there = std::make_shared<std::vector<std::uint8_t>>(x.size());
    for (std::uint64_t i = 0; i < x.size(); ++i) {
      bool const in_mask =
          !mask || static_cast<bool const*>(mask->data)[std::int64_t(i) * mask->strides[0]];
      (*there)[i] = in_mask && x.valid[std::int64_t(i)];
    }
    mask = array{.type = dtype::boolean, .data = there->data(), .shape = x.shape, .strides = {1}};
    mask->copied = there;
    return all;
  }
  if (!is_floating(x.type))
    fail_value(std::string(call) + ": x has nulls, which nan='skip' leaves out");
  std::vector<std::int64_t> const bytes = {x.strides[0] * std::int64_t(size_of(x.type))};
  auto const copy = copy_of_bytes(x.type, x.data, x.shape, bytes);
  all.data = copy.data, all.strides = copy.strides, all.copied = copy.copied;
  auto const nan = *as_type(any_number(std::nan("")), x.type);
  for (std::uint64_t i = 0; i < x.size(); ++i)
    if (!x.valid[std::int64_t(i)])
      nan.store(static_cast<std::byte*>(all.data) + i * size_of(x.type));
  return all;
}

bool is_integer_number(char const* call, char const* argument, nb::handle x) {
  return !is_floating(any_number_of(call, argument, x).type);
}

any_number number_of(char const* call, char const* argument, nb::handle x, dtype type) {
  auto const given = any_number_of(call, argument, x);
  if (auto const found = as_type(given, type)) return *found;
  fail_value(std::string(call) + ": " + argument + " = " + nb::cast<std::string>(nb::repr(x)) +
             " is no " + std::string(name(type)));
}

}  // namespace tally::python
