// SPDX-License-Identifier: Apache-2.0
#include "array.hpp"

#include <nanobind/stl/string.h>

#include <numeric>
#include <unordered_map>

#include "tally/elementwise.hpp"

namespace tally::python {
namespace {

// Which library a type belongs to is looked up once. Types are kept alive, so that no other comes
// to lie where one has been; so they are not where programs make ever more of them.
library const* library_of(nb::handle x) {
  static auto& known = *new std::unordered_map<PyTypeObject*, library const*>;
  auto* const type = Py_TYPE(x.ptr());
  if (auto const found = known.find(type); found != known.end()) return found->second;
  library const* of = exchange_library(x);
  if (!of) of = numpy_library(x);
  if (!of) of = arrow_library(x);
  if (!of) of = cuda_array_library(x);
  if (!of) of = dlpack_library(x);
  if (of && known.size() < 256) {
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
  auto const make = nb::module_::import_("numpy").attr("asarray");
  try {
    return make(x);
  } catch (nb::python_error& e) {
    if (!e.matches(PyExc_Exception)) throw;  // as where the user has interrupted it
    return {};
  }
}

std::vector<std::int64_t> in_bytes(std::vector<std::int64_t> strides, dtype type) {
  for (auto& by : strides) by *= std::int64_t(size_of(type));
  return strides;
}
// Elements that lie at any address are read from a copy.
array aligned(array x) {
  bool const is = reinterpret_cast<std::uintptr_t>(x.data) % size_of(x.type) == 0;
  if (is || x.device != array::host) return x;
  auto const copy = copy_of_bytes(x.type, x.data, x.shape, in_bytes(x.strides, x.type));
  x.data = copy.data, x.strides = copy.strides;
  x.copied = copy.copied, x.writable = false;
  return x;
}

// Bools are bytes of 0 and 1; where others wrote other bytes, a copy that has 1 for all but 0.
array truths(array x) {
  if (x.type != dtype::boolean || x.device != array::host || x.size() == 0) return x;
  static auto const& greatest = *new bound_aggregate(any_aggregate("maximum").on(dtype::uint8));
  any_ndarray const bytes(dtype::uint8, x.data, x.shape, x.strides);
  axes_list all(x.shape.size());
  std::iota(all.begin(), all.end(), 0);
  std::uint8_t most = 0;
  reduce_into(cpu{1}, bytes, all, {{dtype::uint8, &most, {}}}, greatest);
  if (most <= 1) return x;
  auto const memory = std::make_shared<std::vector<std::byte>>(bytes_of(x.type, x.shape));
  copy_into(cpu{1}, bytes, {x.type, memory->data(), x.shape});
  x.data = memory->data(), x.strides = c_order(x.shape);
  x.copied = memory, x.writable = false;
  return x;
}

// The name of Tally's type for Python's own types, and for NumPy's short names.
std::string full_name(std::string text) {
  if (!text.empty() && std::string_view("<=|").find(text[0]) != std::string_view::npos)
    text = text.substr(1);
  if (text == "bool_" || text == "?" || text == "b1") return "bool";
  if (text == "int") return "int64";
  if (text == "float") return "float64";
  if (text.size() != 2 || text[1] < '1' || text[1] > '8') return text;
  std::string const kind = text[0] == 'i' ? "int" : text[0] == 'u' ? "uint" : "float";
  return std::string_view("iuf").find(text[0]) == std::string_view::npos
             ? text
             : kind + std::to_string(8 * (text[1] - '0'));
}

std::string type_of(nb::handle x) { return nb::cast<std::string>(x.type().attr("__name__")); }

}  // namespace

std::uint64_t array::size() const {
  std::uint64_t n = 1;
  for (auto const extent : shape) n *= extent;
  return n;
}

std::size_t bytes_of(dtype type, std::vector<std::uint64_t> const& shape) {
  std::size_t bytes = size_of(type);
  for (auto const extent : shape)
    if (__builtin_mul_overflow(bytes, extent, &bytes)) throw std::bad_alloc();
  return bytes;
}

std::vector<std::int64_t> c_order(std::vector<std::uint64_t> const& shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t step = 1;
  for (std::size_t d = shape.size(); d-- > 0; step *= std::int64_t(shape[d])) strides[d] = step;
  return strides;
}

std::string text_of(std::vector<std::uint64_t> const& shape) {
  return nb::cast<std::string>(nb::str(tuple_of(shape)));
}

bool broadcast_to(array& x, std::vector<std::uint64_t> const& shape) {
  if (x.shape.size() > shape.size()) return false;
  std::size_t const more = shape.size() - x.shape.size();
  std::vector<std::int64_t> strides(shape.size(), 0);
  for (std::size_t d = 0; d < x.shape.size(); ++d) {
    if (x.shape[d] != shape[more + d] && x.shape[d] != 1) return false;
    if (x.shape[d] != 1) strides[more + d] = x.strides[d];
  }
  x.shape = shape, x.strides = strides;
  return true;
}

array copy_of_bytes(dtype type, void const* data, std::vector<std::uint64_t> const& shape,
                    std::vector<std::int64_t> const& strides) {
  array copy{.type = type, .shape = shape, .strides = c_order(shape), .writable = false};
  auto const memory = std::make_shared<std::vector<std::byte>>(bytes_of(type, shape));
  copy.data = memory->data(), copy.copied = memory;
  auto parts = shape;
  auto from = strides, to = in_bytes(copy.strides, type);
  parts.push_back(size_of(type)), from.push_back(1), to.push_back(1);
  copy_into(cpu{1}, any_ndarray(dtype::uint8, data, parts, from),
            {dtype::uint8, copy.data, parts, to});
  return copy;
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

array read_array(char const* call, char const* argument, nb::handle x, bool made_here) {
  nb::object made;
  try {
    auto const* of = library_of(x);
    if (!of && made_here && (made = as_numpy(x))) of = library_of(x = made);
    if (!of) fail_type("is a " + type_of(x) + ", which is no array");
    auto all = aligned(of->read(x));
    if (made_here) all = truths(std::move(all));
    all.from = of;
    if (made) all.kept = {new nb::object(made), [](nb::object* p) { delete p; }};
    return all;
  } catch (wrong_type const& e) {
    fail_type(std::string(call) + ": " + argument + " " + e.what());
  } catch (error const& e) {
    fail_value(std::string(call) + ": " + argument + " " + e.what());
  }
}

array read_output(char const* call, nb::handle x, dtype type,
                  std::vector<std::uint64_t> const& shape, array const& like) {
  auto all = read_array(call, "out", x, false);
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
  bool const named = nb::hasattr(x, "__name__");
  auto text =
      nb::cast<std::string>(named ? nb::object(x.attr("__name__")) : nb::object(nb::str(x)));
  if (auto const dot = text.rfind('.'); dot != text.npos) text = text.substr(dot + 1);
  // What is not Python's own, Arrow's for one, may mean another type by such a word.
  bool const ambiguous = !named && !PyUnicode_Check(x.ptr()) && (text == "float" || text == "int");
  auto const type = ambiguous ? std::nullopt : dtype_named(full_name(text));
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
