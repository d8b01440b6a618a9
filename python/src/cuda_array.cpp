// SPDX-License-Identifier: Apache-2.0
//
// Arrays in a GPU's memory that have __cuda_array_interface__, as CuPy's and Numba's, in whose
// current stream calls run.
#include <nanobind/stl/string.h>

#include <map>
#include <optional>

#include "calls.hpp"

namespace tally::python {
namespace {

std::optional<dtype> type_of(std::string_view text) {
  constexpr std::pair<std::string_view, dtype> all[] = {
      {"|b1", dtype::boolean}, {"|i1", dtype::int8},    {"|u1", dtype::uint8},
      {"<i2", dtype::int16},   {"<u2", dtype::uint16},  {"<i4", dtype::int32},
      {"<u4", dtype::uint32},  {"<i8", dtype::int64},   {"<u8", dtype::uint64},
      {"<f2", dtype::float16}, {"<f4", dtype::float32}, {"<f8", dtype::float64}};
  for (auto const& [name, type] : all)
    if (text == name) return type;
  return {};
}

class cuda_arrays final : public library {
 public:
  explicit cuda_arrays(nb::object module) : module_(std::move(module)) {}

  array read(nb::handle x) const override {
    nb::object const given = x.attr("__cuda_array_interface__");
    if (!PyDict_Check(given.ptr())) fail_type("has no dict as its __cuda_array_interface__");
    auto const all = nb::borrow<nb::dict>(given);
    auto const type = type_of(nb::cast<std::string>(all["typestr"]));
    if (!type)
      fail_type("holds " + nb::cast<std::string>(all["typestr"]) + ", which Tally does not have");
    if (!PyTuple_Check(nb::object(all["data"]).ptr()) || nb::len(nb::object(all["data"])) != 2)
      fail_type("has no pair as the data of its __cuda_array_interface__");
    auto const data = nb::borrow<nb::tuple>(nb::object(all["data"]));
    array view{.type = *type,
               .data = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(data[0])),
               .writable = !nb::cast<bool>(data[1])};
    for (auto const extent : nb::object(all["shape"]))
      view.shape.push_back(nb::cast<std::uint64_t>(extent));
    view.strides = c_order(view.shape);
    auto const strides = all.contains("strides") ? nb::object(all["strides"]) : nb::none();
    for (std::size_t d = 0; d < view.shape.size() && !strides.is_none(); ++d) {
      auto const by = nb::cast<std::int64_t>(nb::object(strides[d]));
      auto const size = std::int64_t(size_of(*type));
      if (by % size != 0) fail_type("has strides that are no multiples of its elements' size");
      view.strides[d] = by / size;
    }
    view.device = view.data ? detail::gpu_holding(view.data) : 0;
    view.stream = stream_of(all);
    return view;
  }

  std::pair<nb::object, array> empty(dtype type, std::vector<std::uint64_t> const& shape,
                                     array const& like) const override {
    auto const device = module_.attr("cuda").attr("Device")(like.device);
    device.attr("__enter__")();
    auto made = module_.attr("empty")(tuple_of(shape), nb::cast(std::string(name(type))));
    device.attr("__exit__")(nb::none(), nb::none(), nb::none());
    auto view = read(made);
    return {std::move(made), std::move(view)};
  }

 private:
  void* stream_of(nb::dict const& all) const {
    std::uintptr_t stream = 1;
    if (nb::hasattr(module_, "cuda") && nb::hasattr(module_.attr("cuda"), "get_current_stream"))
      stream =
          nb::cast<std::uintptr_t>(module_.attr("cuda").attr("get_current_stream")().attr("ptr"));
    else if (all.contains("stream") && !nb::object(all["stream"]).is_none())
      stream = nb::cast<std::uintptr_t>(all["stream"]);
    return stream == 1 ? nullptr : reinterpret_cast<void*>(stream);
  }

  nb::object module_;
};

}  // namespace

// Each type's module makes its results, if it is one like CuPy; JAX's, which has the interface,
// too, is not.
library const* cuda_array_library(nb::handle x) {
  if (!nb::hasattr(x, "__cuda_array_interface__")) return nullptr;
  auto const path = nb::cast<std::string>(x.type().attr("__module__"));
  auto const module = nb::module_::import_(path.substr(0, path.find('.')).c_str());
  if (!nb::hasattr(module, "cuda") || !nb::hasattr(module, "empty")) return nullptr;
  static auto& known = *new std::map<PyObject*, cuda_arrays>;
  return &known.try_emplace(module.ptr(), module).first->second;
}

}  // namespace tally::python
