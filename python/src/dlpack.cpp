// SPDX-License-Identifier: Apache-2.0
//
// Arrays of any library that has __dlpack__, as JAX's. Results are made of memory of our own, which
// the library's from_dlpack() takes over.
#include "dlpack.hpp"

#include <nanobind/stl/string.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>

#include "calls.hpp"
#include "tally/gpu/output.hpp"

namespace tally::python {
namespace dlpack {
namespace {

std::optional<dtype> type_of(element const& e) {
  if (e.lanes != 1) return {};
  int const power = e.bits == 8 ? 0 : e.bits == 16 ? 1 : e.bits == 32 ? 2 : e.bits == 64 ? 3 : -1;
  if (power < 0) return {};
  if (e.code == integer) return dtype(int(dtype::int8) + power);
  if (e.code == unsigned_integer) return dtype(int(dtype::uint8) + power);
  if (e.code == boolean && power == 0) return dtype::boolean;
  if (e.code == bfloat && power == 1) return dtype::bfloat16;
  if (e.code == floating && power > 0)
    return power == 1 ? dtype::float16 : power == 2 ? dtype::float32 : dtype::float64;
  return {};
}

}  // namespace

element element_of(dtype type) {
  auto const code = type == dtype::boolean    ? boolean
                    : type == dtype::bfloat16 ? bfloat
                    : is_floating(type)       ? floating
                    : type >= dtype::uint8    ? unsigned_integer
                                              : integer;
  return {code, std::uint8_t(8 * size_of(type)), 1};
}

array array_of(tensor const& x) {
  auto const type = type_of(x.type);
  if (!type)
    fail_type("has elements that Tally does not have: of DLPack's code " +
              std::to_string(x.type.code) + ", " + std::to_string(x.type.bits) + " bits");
  array all{.type = *type, .data = static_cast<std::byte*>(x.data) + x.byte_offset};
  all.shape.assign(x.shape, x.shape + x.dimensions);
  if (x.strides)
    all.strides.assign(x.strides, x.strides + x.dimensions);
  else
    all.strides = c_order(all.shape);
  if (!x.data && all.size() > 0) fail_type("has no memory");
  auto const on = x.device.type;
  if (on == cuda || on == cuda_managed)
    all.device = x.device.id;
  else if (on != cpu && on != cuda_host)
    fail_type("lies on a device that Tally does not know: DLPack's number " + std::to_string(on));
  return all;
}

device device_of(array const& x) {
  if (x.device == array::host) return {cpu, 0};
  return {cuda, x.device};
}

}  // namespace dlpack

namespace {

// What makes room on a GPU, for as long as the process; one thread at a time.
struct memory_of_gpu {
  std::mutex mutex;
  gpu there;

  static memory_of_gpu& of(int device) {
    static auto& all = *new std::map<int, std::unique_ptr<memory_of_gpu>>;
    static std::mutex& opening = *new std::mutex;
    std::lock_guard const lock(opening);
    auto& one = all[device];
    if (!one) one.reset(new memory_of_gpu{{}, gpu{.device = device}});
    return *one;
  }
};

// Memory that a result is made of, aligned as JAX wants it.
struct own_memory {
  static constexpr std::size_t alignment = 64;

  dtype type;
  int device;
  std::vector<std::int64_t> shape, strides;
  void* data;
  std::optional<gpu_output> on_gpu;

  own_memory(dtype of, std::vector<std::uint64_t> const& its_shape, int where)
      : type(of),
        device(where),
        shape(its_shape.begin(), its_shape.end()),
        strides(c_order(its_shape)) {
    auto const bytes = bytes_of(type, its_shape);
    if (device == array::host) {
      data = std::aligned_alloc(alignment, (bytes / alignment + 1) * alignment);
      if (!data) throw std::bad_alloc();
    } else {
      auto& memory = memory_of_gpu::of(device);
      std::lock_guard const lock(memory.mutex);
      data = on_gpu.emplace(memory.there, bytes).as<std::byte>().data();
    }
  }
  own_memory(own_memory const&) = delete;
  ~own_memory() {
    if (device == array::host) {
      std::free(data);
      return;
    }
    std::lock_guard const lock(memory_of_gpu::of(device).mutex);
    on_gpu.reset();
  }

  dlpack::device place() const {
    if (device == array::host) return {dlpack::cpu, 0};
    return {dlpack::cuda, device};
  }
  dlpack::tensor tensor() {
    return {.data = data,
            .device = place(),
            .dimensions = std::int32_t(shape.size()),
            .type = dlpack::element_of(type),
            .shape = shape.data(),
            .strides = strides.data(),
            .byte_offset = 0};
  }
};

// The same, with what Python's libraries ask of an array that they take over.
struct exported {
  std::shared_ptr<own_memory> memory;

  template <class Managed>
  nb::object capsule(char const* name) const {
    auto* const all = new Managed{};
    all->tensor = memory->tensor();
    all->context = new std::shared_ptr<own_memory>(memory);
    all->release = [](Managed* x) {
      delete static_cast<std::shared_ptr<own_memory>*>(x->context);
      delete x;
    };
    if constexpr (requires { all->version; }) all->version = {1, 0};
    return nb::steal(PyCapsule_New(all, name, [](PyObject* made) {
      auto const* const its_name = PyCapsule_GetName(made);
      if (std::string_view(its_name).starts_with("used")) return;
      auto* const unused = static_cast<Managed*>(PyCapsule_GetPointer(made, its_name));
      unused->release(unused);
    }));
  }
  nb::object take(nb::handle max_version) const {
    bool const new_one = !max_version.is_none() && nb::cast<int>(max_version[0]) >= 1;
    return new_one ? capsule<dlpack::versioned>("dltensor_versioned")
                   : capsule<dlpack::managed>("dltensor");
  }
};

// On a GPU what has been asked for so far is done before what the default stream gets from now on.
nb::object capsule_of(nb::handle x) {
  auto const get = x.attr("__dlpack__");
  auto const on = nb::cast<int>(x.attr("__dlpack_device__")()[0]);
  nb::dict how;
  if (on == dlpack::cuda || on == dlpack::cuda_managed) how["stream"] = 1;
  try {
    return get(nb::arg("max_version") = nb::make_tuple(1, 3), **how);
  } catch (nb::python_error& e) {
    if (!e.matches(PyExc_TypeError)) throw;
    return get(**how);
  }
}

template <class Managed>
Managed* in_capsule(nb::handle capsule, char const* name) {
  if (!PyCapsule_IsValid(capsule.ptr(), name)) return nullptr;
  return static_cast<Managed*>(PyCapsule_GetPointer(capsule.ptr(), name));
}

std::string module_of(nb::handle x) { return nb::cast<std::string>(x.type().attr("__module__")); }
bool is_of_jax(nb::handle x) { return module_of(x).starts_with("jax"); }

class dlpack_arrays final : public library {
 public:
  array read(nb::handle x) const override {
    auto const capsule = capsule_of(x);
    array all;
    if (auto const* of = in_capsule<dlpack::versioned>(capsule, "dltensor_versioned")) {
      all = dlpack::array_of(of->tensor);
      all.writable = !(of->flags & dlpack::versioned::read_only);
    } else if (auto const* old = in_capsule<dlpack::managed>(capsule, "dltensor")) {
      all = dlpack::array_of(old->tensor);
    } else {
      fail_type("gives no DLPack tensor");
    }
    all.kept = std::make_shared<taken>(taken{capsule, namespace_of(x)});
    all.writable &= !is_of_jax(x);  // whose arrays never change
    return all;
  }

  std::pair<nb::object, array> empty(dtype type, std::vector<std::uint64_t> const& shape,
                                     array const& like) const override {
    auto const& maker = static_cast<taken*>(like.kept.get())->maker;
    if (!nb::hasattr(maker, "from_dlpack"))
      fail_type("results cannot be arrays as x is: its library has no from_dlpack");
    auto const room = std::make_shared<own_memory>(type, shape, like.device);
    array view{.type = type, .data = room->data, .shape = shape, .strides = c_order(shape)};
    view.device = like.device;
    view.kept = std::make_shared<made>(made{room, maker});
    return {nb::object(), std::move(view)};
  }

  nb::object finish(array const& view) const override {
    auto const& [room, maker] = *static_cast<made*>(view.kept.get());
    if (view.device != array::host) {
      nb::gil_scoped_release const elsewhere;
      leased_gpu(view.device, view.stream).get().synchronise();
    }
    return maker.attr("from_dlpack")(nb::cast(exported{room}));
  }

 private:
  struct taken {
    nb::object capsule, maker;
  };
  struct made {
    std::shared_ptr<own_memory> room;
    nb::object maker;
  };

  // The module whose from_dlpack() makes such arrays.
  static nb::object namespace_of(nb::handle x) {
    if (nb::hasattr(x, "__array_namespace__")) return x.attr("__array_namespace__")();
    auto const path = module_of(x);
    return nb::module_::import_(path.substr(0, path.find('.')).c_str());
  }
};

}  // namespace

library const* dlpack_library(nb::handle x) {
  static dlpack_arrays const all;
  auto const type = nb::cast<std::string>(x.type().attr("__name__"));
  if (type.find("Tracer") != type.npos && is_of_jax(x))
    fail_type("arrays that jax.jit traces have no elements yet: call Tally outside it");
  return nb::hasattr(x, "__dlpack__") ? &all : nullptr;
}

void bind_dlpack(nb::module_& module) {
  nb::class_<exported>(module, "_Memory")
      .def(
          "__dlpack__",
          [](exported const& x, nb::handle, nb::handle max_version, nb::handle, nb::handle) {
            return x.take(max_version);
          },
          nb::kw_only(), nb::arg("stream") = nb::none(), nb::arg("max_version") = nb::none(),
          nb::arg("dl_device") = nb::none(), nb::arg("copy") = nb::none())
      .def("__dlpack_device__", [](exported const& x) {
        return nb::make_tuple(int(x.memory->place().type), x.memory->place().id);
      });
}

}  // namespace tally::python
