// SPDX-License-Identifier: Apache-2.0
//
// Arrays of types that have DLPack's exchange in C, as PyTorch's: it brings the stream, and makes
// results.
#include "dlpack.hpp"

#include <map>

namespace tally::python {
namespace {

std::shared_ptr<void> keep(dlpack::versioned* x) {
  return {x, [](dlpack::versioned* p) {
            if (p->release) p->release(p);
          }};
}

[[noreturn]] void rethrow() { throw nb::python_error(); }
// What the library says of an array that it does not give.
[[noreturn]] void refuse() {
  std::string const why = nb::python_error().what();
  fail_type("cannot be read: " + why.substr(0, why.find('\n')));
}

class exchanged_arrays final : public library {
 public:
  explicit exchanged_arrays(dlpack::exchange const& api) : api_(api) {}

  bool has_signed_sums() const override { return true; }

  array read(nb::handle x) const override {
    if (nb::hasattr(x, "requires_grad") && nb::cast<bool>(x.attr("requires_grad")))
      fail_type("requires grad, which Tally's results do not have: give x.detach()");
    // A negative view shows its elements with the other sign.
    if (nb::hasattr(x, "is_neg") && nb::cast<bool>(x.attr("is_neg")())) {
      auto all = owned(x.attr("resolve_neg")());
      all.writable = false;
      return with_stream(all);
    }
    return with_stream(api_.tensor_of_object ? borrowed(x) : owned(x));
  }

  array with_stream(array all) const {
    if (all.device != array::host &&
        api_.current_stream(dlpack::cuda, all.device, &all.stream) != 0)
      rethrow();
    return all;
  }

  std::pair<nb::object, array> empty(dtype type, std::vector<std::uint64_t> const& shape,
                                     array const& like) const override {
    std::vector<std::int64_t> sizes(shape.begin(), shape.end());
    dlpack::tensor prototype{.data = nullptr,
                             .device = dlpack::device_of(like),
                             .dimensions = std::int32_t(shape.size()),
                             .type = dlpack::element_of(type),
                             .shape = sizes.data(),
                             .strides = nullptr,
                             .byte_offset = 0};
    dlpack::versioned* made = nullptr;
    std::string why;
    auto const fail = [](void* to, char const*, char const* message) {
      *static_cast<std::string*>(to) = message;
    };
    if (api_.allocate(&prototype, &made, &why, fail) != 0) {
      if (PyErr_Occurred()) rethrow();
      throw std::bad_alloc();
    }
    auto view = dlpack::array_of(made->tensor);
    view.stream = like.stream;
    void* object = nullptr;
    if (api_.object_of_managed(made, &object) != 0) rethrow();
    return {nb::steal(static_cast<PyObject*>(object)), std::move(view)};
  }

 private:
  array borrowed(nb::handle x) const {
    dlpack::tensor found;
    if (api_.tensor_of_object(x.ptr(), &found) != 0) refuse();
    return dlpack::array_of(found);
  }
  array owned(nb::handle x) const {
    dlpack::versioned* found = nullptr;
    if (api_.managed_of_object(x.ptr(), &found) != 0) refuse();
    auto const kept = keep(found);
    auto all = dlpack::array_of(found->tensor);
    all.writable = !(found->flags & dlpack::versioned::read_only);
    all.kept = kept;
    return all;
  }

  dlpack::exchange const& api_;
};

}  // namespace

library const* exchange_library(nb::handle x) {
  auto const capsule = nb::getattr(x.type(), "__dlpack_c_exchange_api__", nb::none());
  if (!PyCapsule_CheckExact(capsule.ptr())) return nullptr;
  auto const* api =
      static_cast<dlpack::exchange*>(PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api"));
  if (!api) PyErr_Clear();
  if (!api || api->header.version.major != 1) return nullptr;
  static auto& known = *new std::map<void const*, exchanged_arrays>;
  return &known.try_emplace(api, *api).first->second;
}

}  // namespace tally::python
