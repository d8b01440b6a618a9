// SPDX-License-Identifier: Apache-2.0
//
// Columns by Arrow's C interfaces: of pandas, Polars, pyarrow. What is null is missing. One chunk
// is read where it lies; several are first put together. Results are NumPy's.
#include <nanobind/stl/string.h>

#include <cstring>
#include <optional>

#include "array.hpp"

// As Arrow's format has them.
struct ArrowSchema {
  char const *format, *name, *metadata;
  std::int64_t flags, n_children;
  ArrowSchema **children, *dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  std::int64_t length, null_count, offset, n_buffers, n_children;
  void const** buffers;
  ArrowArray **children, *dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};
struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  char const* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

namespace tally::python {
namespace {

template <class T>
struct released : T {
  released() : T{} {}
  released(released const&) = delete;
  ~released() {
    if (this->release) this->release(this);
  }
};

std::optional<dtype> type_of(std::string_view format) {
  constexpr std::pair<char, dtype> all[] = {
      {'b', dtype::boolean}, {'c', dtype::int8},    {'C', dtype::uint8},   {'s', dtype::int16},
      {'S', dtype::uint16},  {'i', dtype::int32},   {'I', dtype::uint32},  {'l', dtype::int64},
      {'L', dtype::uint64},  {'e', dtype::float16}, {'f', dtype::float32}, {'g', dtype::float64}};
  for (auto const& [letter, type] : all)
    if (format.size() == 1 && format[0] == letter) return type;
  return {};
}

bool bit(void const* bits, std::int64_t i) {
  return static_cast<std::uint8_t const*>(bits)[i >> 3] >> (i & 7) & 1;
}

// Elements and their bitmap in memory of our own.
struct copied {
  std::vector<std::byte> elements;
  std::vector<std::uint8_t> valid;
  std::uint64_t count = 0;

  void append(ArrowArray const& from, dtype type) {
    auto const size = size_of(type);
    elements.resize((count + std::uint64_t(from.length)) * size);
    valid.resize((count + std::uint64_t(from.length) + 7) / 8);
    auto* const to = elements.data() + count * size;
    if (type != dtype::boolean && from.length > 0)
      std::memcpy(to,
                  static_cast<std::byte const*>(from.buffers[1]) + from.offset * std::int64_t(size),
                  std::size_t(from.length) * size);
    for (std::int64_t i = 0; i < from.length; ++i) {
      if (type == dtype::boolean) to[i] = std::byte(bit(from.buffers[1], from.offset + i));
      bool const there = !from.buffers[0] || bit(from.buffers[0], from.offset + i);
      auto const at = count + std::uint64_t(i);
      valid[at >> 3] |= std::uint8_t(there << (at & 7));
    }
    count += std::uint64_t(from.length);
  }
};

array column(dtype type, void const* data, std::uint64_t count, validity valid,
             std::shared_ptr<void> kept) {
  return {.type = type,
          .data = const_cast<void*>(data),
          .shape = {count},
          .strides = {1},
          .writable = false,
          .valid = valid,
          .kept = std::move(kept)};
}

using chunks = std::vector<std::unique_ptr<released<ArrowArray>>>;

array column_of(ArrowSchema const& schema, chunks all) {
  auto const type = type_of(schema.format);
  if (!type || schema.dictionary)
    fail_type("is of Arrow's type '" + std::string(schema.format) + "', which Tally does not have");
  if (all.size() == 1 && *type != dtype::boolean) {
    std::shared_ptr<released<ArrowArray>> const one(std::move(all[0]));
    auto const* const bits = static_cast<std::uint8_t const*>(one->buffers[0]);
    auto const* const data = static_cast<std::byte const*>(one->buffers[1]);
    return column(*type, data ? data + one->offset * std::int64_t(size_of(*type)) : nullptr,
                  std::uint64_t(one->length), {one->null_count == 0 ? nullptr : bits, one->offset},
                  one);
  }
  auto const together = std::make_shared<copied>();
  bool missing = false;
  for (auto const& one : all) {
    together->append(*one, *type);
    missing |= one->null_count != 0 && one->buffers[0];
  }
  return column(*type, together->elements.data(), together->count,
                {missing ? together->valid.data() : nullptr, 0}, together);
}

template <class T>
T& in_capsule(nb::handle capsule, char const* name) {
  auto* const found = static_cast<T*>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (!found) throw nb::python_error();
  return *found;
}
// What the capsule holds is ours from now on.
template <class T>
void take(nb::handle capsule, char const* name, T& to) {
  auto& from = in_capsule<T>(capsule, name);
  if (!from.release) fail_value("gives an Arrow capsule that has been read before");
  to = from;
  from.release = nullptr;
}

class arrow_columns final : public library {
 public:
  array read(nb::handle x) const override {
    return nb::hasattr(x, "__arrow_c_array__") ? read_one(x) : read_stream(x);
  }
  std::pair<nb::object, array> empty(dtype type, std::vector<std::uint64_t> const& shape,
                                     array const& like) const override {
    return numpy_arrays().empty(type, shape, like);
  }
  bool has_scalars() const override { return true; }
  nb::object scalar(any_number const& x) const override { return numpy_arrays().scalar(x); }

 private:
  array read_one(nb::handle x) const {
    nb::object const given = x.attr("__arrow_c_array__")();
    if (!PyTuple_Check(given.ptr()) || nb::len(given) != 2)
      fail_type("gives no pair by __arrow_c_array__");
    auto const pair = nb::borrow<nb::tuple>(given);
    released<ArrowSchema> schema;
    take<ArrowSchema>(pair[0], "arrow_schema", schema);
    chunks all;
    all.push_back(std::make_unique<released<ArrowArray>>());
    take<ArrowArray>(pair[1], "arrow_array", *all[0]);
    return column_of(schema, std::move(all));
  }
  array read_stream(nb::handle x) const {
    nb::object const capsule = x.attr("__arrow_c_stream__")();
    released<ArrowArrayStream> stream;
    take<ArrowArrayStream>(capsule, "arrow_array_stream", stream);
    auto const require = [&](int status) {
      if (status == 0) return;
      auto const* const why = stream.get_last_error(&stream);
      fail_value(std::string("cannot be read: ") + (why ? why : "Arrow's stream has failed"));
    };
    released<ArrowSchema> schema;
    require(stream.get_schema(&stream, &schema));
    chunks all;
    for (;;) {
      auto next = std::make_unique<released<ArrowArray>>();
      require(stream.get_next(&stream, next.get()));
      if (!next->release) break;
      all.push_back(std::move(next));
    }
    return column_of(schema, std::move(all));
  }
};

}  // namespace

library const* arrow_library(nb::handle x) {
  static arrow_columns const all;
  bool const is_column =
      nb::hasattr(x, "__arrow_c_array__") || nb::hasattr(x, "__arrow_c_stream__");
  return is_column ? &all : nullptr;
}

}  // namespace tally::python
