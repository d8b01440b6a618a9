// SPDX-License-Identifier: Apache-2.0
//
// What all calls share: where they run, which axes they take, and where results go.
#pragma once

#include <optional>

#include "array.hpp"
#include "tally/elementwise.hpp"
#include "tally/gpu.hpp"
#include "tally/gpu/output.hpp"

namespace tally::python {

// How many threads calls use; 0: all cores.
int threads();
void set_threads(nb::handle count);

// A gpu of that number and stream, which no other call uses meanwhile.
class leased_gpu {
 public:
  leased_gpu(int device, void* stream);
  ~leased_gpu();
  leased_gpu(leased_gpu const&) = delete;

  gpu& get() { return *there_; }

 private:
  int device_;
  void* stream_;
  std::unique_ptr<gpu> there_;
};

// What was thrown of a call of the library, as the package's function says it.
error error_of(std::string const& call, error const& thrown);

// Calls f(where) where x lies. Python goes on meanwhile, unless that takes no time.
template <class F>
void run_at(std::string const& call, array const& x, F&& f) try {
  if (x.device == array::host) {
    std::optional<nb::gil_scoped_release> const elsewhere =
        x.size() < 4096 ? std::nullopt : std::optional<nb::gil_scoped_release>(std::in_place);
    f(any_where(cpu{threads()}));
  } else {
    nb::gil_scoped_release const elsewhere;
    leased_gpu there(x.device, x.stream);
    f(any_where(there.get()));
  }
} catch (wrong_type const&) {
  throw;
} catch (error const& e) {
  throw error_of(call, e);
}

// A copy in the host's memory of what lies on a GPU.
array on_host(array const& x);

// Memory for a call, where it runs, until what it has asked for there is done.
class scratch {
 public:
  scratch(any_where where, std::uint64_t bytes);
  void* data() const { return data_; }

 private:
  std::unique_ptr<std::byte[]> here_;
  std::unique_ptr<gpu_output> on_gpu_;
  void* data_;
};

// An argument that is true or false, as Python takes any object for.
struct flag {
  bool value;
  operator bool() const { return value; }
};

// An integer, or what has an __index__.
std::int64_t integer(char const* call, char const* argument, nb::handle x);
// None: all axes; one, or a tuple of them, negative ones from the end.
axes_list axes_of(char const* call, nb::handle axis, array const& x);
std::size_t axis_of(char const* call, nb::handle axis, array const& x);

// The shape without these axes, or with 1 for each of them.
std::vector<std::uint64_t> reduced_shape(array const& x, axes_list const& axes, bool keep);
std::uint64_t reduced_count(array const& x, axes_list const& axes);

// Whether sums of such elements, which the library writes as uint64, are int64 in Python.
inline bool sums_are_signed(dtype elements, library const& from) {
  return elements == dtype::boolean || (from.has_signed_sums() && elements != dtype::uint64);
}

// Segments of an array of one dimension, by offsets that lie where it lies.
class segments_of_array {
 public:
  segments_of_array(char const* call, nb::handle offsets, array const& x);

  std::uint64_t count() const { return layout_.count; }
  row_layout const& layout() const { return layout_; }
  // The rows that they are of x, or of an array as long, of elements side by side.
  any_rows rows(char const* argument, any_ndarray const& x) const;

 private:
  std::string call_;
  std::vector<std::int64_t> converted_;
  array offsets_;
  row_layout layout_;
  std::uint64_t size_;
};

// Where a result goes: to `out` of the call, to a new array, or to a number.
class result {
 public:
  result(char const* call, dtype type, std::vector<std::uint64_t> const& shape, array const& like,
         nb::handle out = nb::none());
  result(result const&) = delete;

  // Its elements as the library writes them, which may be of another type as wide.
  any_ndarray_output as(dtype type) const;
  array const& view() const { return view_; }
  // The same without the axes along which there is one result.
  any_ndarray_output without(axes_list const& axes, std::size_t before = 0) const;
  // What the call returns.
  nb::object take();

 private:
  nb::object object_;
  array view_;
  alignas(8) std::byte number_[8] = {};
};

}  // namespace tally::python

template <>
struct nanobind::detail::type_caster<tally::python::flag> {
  NB_TYPE_CASTER(tally::python::flag, const_name("bool"))

  bool from_python(handle x, std::uint8_t, cleanup_list*) noexcept {
    int const is = PyObject_IsTrue(x.ptr());
    if (is < 0) PyErr_Clear();
    value.value = is == 1;
    return is >= 0;
  }
};
