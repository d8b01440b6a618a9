// SPDX-License-Identifier: Apache-2.0
#include "calls.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>

namespace tally::python {
namespace {

std::atomic<int> thread_count = 0;

// The gpus that no call uses.
struct idle_gpus {
  std::mutex mutex;
  std::map<std::pair<int, void*>, std::vector<std::unique_ptr<gpu>>> all;

  static idle_gpus& shared() {
    static auto& known = *new idle_gpus;  // the driver may be gone before this would be
    return known;
  }
};

std::size_t axis_at(char const* call, std::int64_t axis, std::size_t dimensions) {
  auto const n = std::int64_t(dimensions);
  if (axis < -n || axis >= n)
    fail_value(std::string(call) + ": axis " + std::to_string(axis) +
               " is out of bounds for an array of " + std::to_string(n) + " dimensions");
  return std::size_t(axis < 0 ? axis + n : axis);
}

}  // namespace

std::int64_t integer(char const* call, char const* argument, nb::handle x) {
  auto const index = PyBool_Check(x.ptr()) ? nb::object() : nb::steal(PyNumber_Index(x.ptr()));
  if (!index) {
    PyErr_Clear();
    fail_type(std::string(call) + ": " + argument + " = " + nb::cast<std::string>(nb::repr(x)) +
              " is no integer");
  }
  int beyond = 0;
  auto const value = PyLong_AsLongLongAndOverflow(index.ptr(), &beyond);
  if (beyond)
    fail_value(std::string(call) + ": " + argument + " = " + nb::cast<std::string>(nb::repr(x)) +
               " is beyond 64 bits");
  return value;
}

int threads() { return thread_count; }
void set_threads(nb::handle given) {
  auto const count = integer("set_threads", "count", given);
  if (count < 0) fail_value("set_threads: count = " + std::to_string(count) + " is negative");
  thread_count = int(std::min<std::int64_t>(count, std::numeric_limits<int>::max()));
}

error error_of(std::string const& call, error const& thrown) {
  std::string const text = thrown.what();
  auto const colon = text.find(": ");
  bool const names_one =
      colon != text.npos && text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == colon;
  return error(call + ": " + (names_one ? text.substr(colon + 2) : text));
}

array on_host(array const& x) {
  if (x.device == array::host) return x;
  array copy{.type = x.type, .shape = x.shape, .strides = c_order(x.shape), .from = x.from};
  auto const memory = std::make_shared<std::vector<std::byte>>(bytes_of(x.type, x.shape));
  copy.data = memory->data(), copy.copied = memory;
  nb::gil_scoped_release const elsewhere;
  leased_gpu there(x.device, x.stream);
  gpu_output const room(there.get(), std::max<std::size_t>(memory->size(), 1));
  copy_into(there.get(), x.input(), {x.type, room.as<std::byte>().data(), x.shape});
  room.read(0, *memory);
  return copy;
}

scratch::scratch(any_where where, std::uint64_t bytes) {
  where.visit([&]<class Where>(Where& there) {
    if constexpr (std::is_same_v<Where, gpu>) {
      on_gpu_ = std::make_unique<gpu_output>(there, std::max<std::uint64_t>(bytes, 1));
      data_ = on_gpu_->as<std::byte>().data();
    } else {
      here_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
      data_ = here_.get();
    }
  });
}

leased_gpu::leased_gpu(int device, void* stream) : device_(device), stream_(stream) {
  auto& idle = idle_gpus::shared();
  {
    std::lock_guard const lock(idle.mutex);
    auto& free = idle.all[{device, stream}];
    if (!free.empty()) {
      there_ = std::move(free.back());
      free.pop_back();
      return;
    }
  }
  there_.reset(new gpu{.stream = static_cast<CUstream_st*>(stream), .device = device});
}
leased_gpu::~leased_gpu() {
  auto& idle = idle_gpus::shared();
  std::lock_guard const lock(idle.mutex);
  idle.all[{device_, stream_}].push_back(std::move(there_));
}

axes_list axes_of(char const* call, nb::handle axis, array const& x) {
  axes_list axes;
  auto const n = x.shape.size();
  if (axis.is_none()) {
    for (std::size_t d = 0; d < n; ++d) axes.push_back(d);
  } else if (PyTuple_Check(axis.ptr())) {
    for (auto const one : nb::borrow<nb::tuple>(axis)) {
      auto const a = axis_at(call, integer(call, "axis", one), n);
      for (auto const other : axes)
        if (other == a)
          fail_value(std::string(call) + ": axis " + std::to_string(a) + " is named twice");
      axes.push_back(a);
    }
  } else {
    axes.push_back(axis_at(call, integer(call, "axis", axis), n));
  }
  return axes;
}
std::size_t axis_of(char const* call, nb::handle axis, array const& x) {
  return axis_at(call, integer(call, "axis", axis), x.shape.size());
}

std::vector<std::uint64_t> reduced_shape(array const& x, axes_list const& axes, bool keep) {
  std::vector<std::uint64_t> shape;
  for (std::size_t d = 0; d < x.shape.size(); ++d) {
    bool reduced = false;
    for (auto const a : axes) reduced |= a == d;
    if (!reduced)
      shape.push_back(x.shape[d]);
    else if (keep)
      shape.push_back(1);
  }
  return shape;
}
std::uint64_t reduced_count(array const& x, axes_list const& axes) {
  std::uint64_t n = 1;
  for (auto const a : axes) n *= x.shape[a];
  return n;
}

segments_of_array::segments_of_array(char const* call, nb::handle offsets, array const& x)
    : call_(call), offsets_(read_array(call, "segments", offsets)) {
  if (offsets_.shape.size() != 1) fail_value(call_ + ": segments has not one dimension");
  if (offsets_.shape[0] == 0) fail_value(call_ + ": segments is empty, not even 0 is in it");
  for (std::uint64_t i = 0; offsets_.valid && i < offsets_.shape[0]; ++i)
    if (!offsets_.valid[std::int64_t(i)]) fail_value(call_ + ": segments has nulls");
  if (is_floating(offsets_.type) || offsets_.type == dtype::boolean)
    fail_type(call_ + ": segments holds " + std::string(name(offsets_.type)) + ", not integers");
  if (offsets_.device != x.device) fail_value(call_ + ": segments lies on another device than x");
  if (offsets_.shape[0] > 1 && (offsets_.type != dtype::int64 || offsets_.strides[0] != 1)) {
    if (x.device != array::host)
      fail_type(call_ + ": segments on a GPU has to be int64, side by side");
    visit(offsets_.type, [&]<class T>(std::type_identity<T>) {
      auto const* const from = static_cast<T const*>(offsets_.data);
      for (std::uint64_t i = 0; i < offsets_.shape[0]; ++i)
        if constexpr (!floating<T>)
          converted_.push_back(std::int64_t(from[std::int64_t(i) * offsets_.strides[0]]));
    });
  }
  auto const* const first =
      converted_.empty() ? static_cast<std::int64_t const*>(offsets_.data) : converted_.data();
  if (x.shape.size() != 1) fail_value(call_ + ": x has not one dimension, as segments are of");
  size_ = x.shape[0];
  layout_ = {.count = offsets_.shape[0] - 1,
             .length = size_,
             .starts = first,
             .lengths = first + 1,
             .lengths_from = first};
}
any_rows segments_of_array::rows(char const* argument, any_ndarray const& x) const {
  if (x.shape.size() != 1 || x.shape[0] != size_)
    fail_value(call_ + ": " + argument + " has not as many elements as x");
  if (size_ > 1 && x.strides[0] != 1)
    fail_value(call_ + ": " + argument + " has elements apart, of which there are no segments");
  any_rows rows(x.type, x.data, layout_);
  rows.array_size = size_, rows.valid = x.valid;
  return rows;
}

result::result(char const* call, dtype type, std::vector<std::uint64_t> const& shape,
               array const& like, nb::handle out) {
  if (!out.is_none()) {
    view_ = read_output(call, out, type, shape, like);
    object_ = nb::borrow(out);
  } else if (shape.empty() && like.from->has_scalars()) {
    view_ = {.type = type, .data = number_, .from = like.from};
  } else {
    std::tie(object_, view_) = like.from->empty(type, shape, like);
    view_.from = like.from;
  }
}
any_ndarray_output result::as(dtype type) const {
  return {type, view_.data, view_.shape, view_.strides};
}
any_ndarray_output result::without(axes_list const& axes, std::size_t before) const {
  auto all = view_.output();
  for (std::size_t d = all.shape.size(); d-- > before;)
    if (std::ranges::count(axes, d - before)) {
      all.shape.erase(all.shape.begin() + std::ptrdiff_t(d));
      all.strides.erase(all.strides.begin() + std::ptrdiff_t(d));
    }
  return all;
}
nb::object result::take() {
  if (object_) return std::move(object_);
  if (view_.data == number_) return view_.from->scalar(any_number::at(view_.type, number_));
  return view_.from->finish(view_);
}

}  // namespace tally::python
