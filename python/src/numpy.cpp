// SPDX-License-Identifier: Apache-2.0
//
// NumPy's arrays, and what else offers its memory as a buffer. NumPy itself is imported when a
// result is to become one of its arrays.
#include <nanobind/stl/string.h>

#include <optional>

#include "array.hpp"
#include "tally/exact/float_format.hpp"

namespace tally::python {
namespace {

struct buffer {
  Py_buffer view;
  ~buffer() { PyBuffer_Release(&view); }
};

// The element type of a buffer's format; none of another order of bytes, either.
std::optional<dtype> type_of(char const* format, Py_ssize_t size) {
  if (*format == '@' || *format == '=' || *format == '<') ++format;
  if (format[0] == 0 || format[1] != 0) return {};
  int const power = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;
  switch (*format) {
    case '?': return dtype::boolean;
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'q':
    case 'n': return dtype(int(dtype::int8) + power);
    case 'B':
    case 'H':
    case 'I':
    case 'L':
    case 'Q':
    case 'N': return dtype(int(dtype::uint8) + power);
    case 'e': return dtype::float16;
    case 'f': return dtype::float32;
    case 'd': return dtype::float64;
  }
  return {};
}

nb::object& numpy() {
  // No initialisation that others wait for: an import lets other threads run.
  static nb::object* module = nullptr;
  if (!module) {
    auto imported = nb::module_::import_("numpy");
    if (!module) module = new nb::object(std::move(imported));
  }
  return *module;
}

// That of ml_dtypes, which has it where there are such arrays.
nb::object bfloat16_type() { return nb::module_::import_("ml_dtypes").attr("bfloat16"); }

// NumPy's type of a number; and its dtype.
nb::object const& scalar_type(dtype type) {
  static auto& all = *new std::array<nb::object, dtype_names.size()>;
  auto& of = all[std::size_t(type)];
  if (!of)
    of = type == dtype::boolean    ? numpy().attr("bool_")
         : type == dtype::bfloat16 ? bfloat16_type()
                                   : numpy().attr(std::string(name(type)).c_str());
  return of;
}
nb::object const& array_dtype(dtype type) {
  static auto& all = *new std::array<nb::object, dtype_names.size()>;
  auto& of = all[std::size_t(type)];
  if (!of) of = numpy().attr("dtype")(scalar_type(type));
  return of;
}

class numpy_library_of_buffers final : public library {
 public:
  array read(nb::handle x) const override {
    auto const held = std::make_shared<buffer>();
    if (PyObject_GetBuffer(x.ptr(), &held->view, PyBUF_RECORDS_RO) != 0) {
      PyErr_Clear();
      held->view.obj = nullptr;
      return read_extension(x);
    }
    auto const& view = held->view;
    auto const type = type_of(view.format ? view.format : "B", view.itemsize);
    if (!type) return read_other(x);
    array all{.type = *type, .data = view.buf, .writable = !view.readonly};
    all.shape.assign(view.shape, view.shape + view.ndim);
    all.strides = c_order(all.shape);
    all.kept = held;
    for (int d = 0; d < view.ndim && view.strides; ++d) {
      if (view.shape[d] > 1 && view.strides[d] % view.itemsize != 0)  // as of a record's field
        return copy_of_bytes(*type, view.buf, all.shape, {view.strides, view.strides + view.ndim});
      all.strides[std::size_t(d)] = view.strides[d] / view.itemsize;
    }
    return all;
  }

  std::pair<nb::object, array> empty(dtype type, std::vector<std::uint64_t> const& shape,
                                     array const&) const override {
    static nb::object* found = nullptr;
    if (!found) found = new nb::object(numpy().attr("empty"));
    auto const& make = *found;
    auto made = make(tuple_of(shape), array_dtype(type));
    auto view = read(made);
    return {std::move(made), std::move(view)};
  }

  bool has_scalars() const override { return true; }
  nb::object scalar(any_number const& x) const override {
    if (bits_are_lost(x)) return of_bits(x);
    return scalar_type(x.type)(python_number(x));
  }

 private:
  // A NaN that is not the quiet one does not come through Python's numbers, nor does a subnormal
  // float where the caller has these flushed to zero.
  static bool bits_are_lost(any_number const& x) {
    return visit(x.type, [&]<class T>(std::type_identity<T>) {
      if constexpr (std::is_same_v<T, float>)
        if ((x.bits & 0x7f800000) == 0 && (x.bits & 0x7fffff) != 0) return true;
      if constexpr (floating<T>)
        return is_nan(x.as<T>()) && to_bits(x.as<T>()) != to_bits(quiet_nan<T>());
      else
        return false;
    });
  }
  nb::object of_bits(any_number const& x) const {
    auto [one, view] = empty(x.type, {}, {});
    x.store(view.data);
    return one[nb::tuple()];
  }
  // NumPy gives no buffer of bfloat16, but of its bits as integers.
  array read_extension(nb::handle x) const {
    if (nb::hasattr(x, "dtype") &&
        nb::cast<std::string>(nb::str(nb::object(x.attr("dtype")))) == "bfloat16") {
      auto all = read(x.attr("view")(array_dtype(dtype::uint16)));
      all.type = dtype::bfloat16;
      return all;
    }
    return read_other(x);
  }
  // A copy that is as this machine has it, where x has another order of bytes.
  array read_copy(nb::handle copy) const {
    auto all = read(copy);
    all.writable = false;
    return all;
  }
  array read_other(nb::handle x) const {
    auto const is_native = [](nb::handle a) {
      return PyObject_IsTrue(nb::getattr(a.attr("dtype"), "isnative", nb::bool_(true)).ptr()) == 1;
    };
    if (nb::hasattr(x, "dtype") && !is_native(x)) {
      auto const native = x.attr("astype")(x.attr("dtype").attr("newbyteorder")("="));
      if (is_native(native)) return read_copy(native);
    }
    auto const of = nb::hasattr(x, "dtype") ? nb::object(x.attr("dtype")) : nb::borrow(x.type());
    fail_type("holds " + nb::cast<std::string>(nb::str(of)) + ", which Tally does not have");
  }
};

}  // namespace

library const& numpy_arrays() {
  static numpy_library_of_buffers const all;
  return all;
}

library const* numpy_library(nb::handle x) {
  // JAX's arrays on the host have buffers, too, but results are to be JAX's.
  bool const is_others = nb::hasattr(x, "__dlpack__") && !nb::hasattr(x, "__array_interface__");
  bool const is_number = nb::hasattr(x, "dtype") && !nb::hasattr(x, "__array_finalize__");
  if (!PyObject_CheckBuffer(x.ptr()) || is_others || is_number) return nullptr;
  if (nb::hasattr(x, "mask") && nb::hasattr(x, "filled"))
    fail_type("is a masked array: give x.data, and where=~numpy.ma.getmaskarray(x)");
  return &numpy_arrays();
}

}  // namespace tally::python
