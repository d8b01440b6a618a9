// SPDX-License-Identifier: Apache-2.0
#include "array.hpp"

#include <nanobind/stl/string.h>

#include <unordered_map>

namespace tally::python {
namespace {

// Which library a type belongs to is looked up once. Types are kept alive, so that no other comes
// to lie where one has been.
library const* library_of(nb::handle x) {
  static auto& known = *new std::unordered_map<PyTypeObject*, library const*>;
  auto* const type = Py_TYPE(x.ptr());
  if (auto const found = known.find(type); found != known.end()) return found->second;
  library const* of = exchange_library(x);
  if (!of) of = numpy_library(x);
  if (!of) of = arrow_library(x);
  if (!of) of = cuda_array_library(x);
  if (!of) of = dlpack_library(x);
  if (of) {
    Py_INCREF(reinterpret_cast<PyObject*>(type));
    known.emplace(type, of);
  }
  return of;
}

// Lists, numbers, NumPy's scalars: what NumPy makes an array of.
nb::object as_numpy(nb::handle x) {
  bool const number = PyNumber_Check(x.ptr()),
             list = PyList_Check(x.ptr()) || PyTuple_Check(x.ptr());
  if (!number && !list) return {};
  try {
    return nb::module_::import_("numpy").attr("asarray")(x);
  } catch (nb::python_error&) {
    return {};
  }
}

std::string type_of(nb::handle x) { return nb::cast<std::string>(x.type().attr("__name__")); }

}  // namespace

std::uint64_t array::size() const {
  std::uint64_t n = 1;
  for (auto const extent : shape) n *= extent;
  return n;
}

std::vector<std::int64_t> c_order(std::vector<std::uint64_t> const& shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t step = 1;
  for (std::size_t d = shape.size(); d-- > 0; step *= std::int64_t(shape[d])) strides[d] = step;
  return strides;
}

nb::object python_number(any_number const& x) {
  return visit(x.type, [&]<class T>(std::type_identity<T>) -> nb::object {
    if constexpr (std::is_same_v<T, bool>)
      return nb::bool_(x.as<T>());
    else if constexpr (floating<T>)
      return nb::float_(convert<double>(x.as<T>()));
    else
      return nb::int_(x.as<T>());
  });
}

nb::object tuple_of(std::vector<std::uint64_t> const& shape) {
  auto all = nb::steal(PyTuple_New(Py_ssize_t(shape.size())));
  for (std::size_t d = 0; d < shape.size(); ++d)
    PyTuple_SetItem(all.ptr(), Py_ssize_t(d), PyLong_FromUnsignedLongLong(shape[d]));
  return all;
}

array read_array(char const* call, char const* argument, nb::handle x) {
  nb::object made;
  auto const* of = library_of(x);
  if (!of && (made = as_numpy(x))) of = library_of(x = made);
  if (!of)
    fail_type(std::string(call) + ": " + argument + " is a " + type_of(x) + ", which is no array");
  try {
    auto all = of->read(x);
    all.from = of;
    if (made) all.kept = {new nb::object(made), [](nb::object* p) { delete p; }};
    return all;
  } catch (wrong_type const& e) {
    fail_type(std::string(call) + ": " + argument + " " + e.what());
  }
}

array read_output(char const* call, nb::handle x, dtype type,
                  std::vector<std::uint64_t> const& shape, array const& like) {
  auto all = read_array(call, "out", x);
  auto const prefix = std::string(call) + ": out ";
  if (!all.writable) fail_value(prefix + "cannot be written");
  if (all.type != type)
    fail_type(prefix + "holds " + std::string(name(all.type)) + ", results are " +
              std::string(name(type)));
  if (all.shape != shape) fail_value(prefix + "has another shape than results");
  if (all.device != like.device) fail_value(prefix + "lies on another device than x");
  return all;
}

dtype dtype_of(char const* call, nb::handle x) {
  static auto& known = *new std::unordered_map<PyObject*, dtype>;
  if (auto const found = known.find(x.ptr()); found != known.end()) return found->second;
  auto text = nb::cast<std::string>(nb::hasattr(x, "__name__") ? nb::object(x.attr("__name__"))
                                                               : nb::object(nb::str(x)));
  if (auto const dot = text.rfind('.'); dot != text.npos) text = text.substr(dot + 1);
  if (text == "bool_") text = "bool";
  if (text == "int") text = "int64";
  if (text == "float") text = "float64";
  auto const type = dtype_named(text);
  if (!type)
    fail_type(std::string(call) + ": dtype = " + nb::cast<std::string>(nb::repr(x)) +
              " is none of Tally's");
  if (known.size() < 256) {  // programs have few, but may make one anew for each call
    x.inc_ref();
    known.emplace(x.ptr(), *type);
  }
  return *type;
}

}  // namespace tally::python
