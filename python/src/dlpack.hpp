// SPDX-License-Identifier: Apache-2.0
//
// What DLPack 1.3 has arrays look like between libraries, as far as it is used here.
#pragma once

#include <cstdint>

#include "array.hpp"

namespace tally::python::dlpack {

enum device_type : std::int32_t { cpu = 1, cuda = 2, cuda_host = 3, cuda_managed = 13 };
enum type_code : std::uint8_t { integer, unsigned_integer, floating, bfloat = 4, boolean = 6 };

struct device {
  device_type type;
  std::int32_t id;
};

struct element {
  std::uint8_t code, bits;
  std::uint16_t lanes;
};

struct tensor {
  void* data;
  dlpack::device device;
  std::int32_t dimensions;
  element type;
  std::int64_t* shape;
  std::int64_t* strides;  // in elements; null: C order
  std::uint64_t byte_offset;
};

// A tensor, and who owns it.
struct managed {
  dlpack::tensor tensor;
  void* context;
  void (*release)(managed*);
};

struct version {
  std::uint32_t major, minor;
};
struct versioned {
  dlpack::version version;
  void* context;
  void (*release)(versioned*);
  std::uint64_t flags;
  dlpack::tensor tensor;

  static constexpr std::uint64_t read_only = 1;
};

// What a type offers as __dlpack_c_exchange_api__: arrays come and go without a call in Python, and
// nothing waits. Each function returns 0, or has set an exception.
struct exchange_header {
  dlpack::version version;
  exchange_header* previous;
};
struct exchange {
  exchange_header header;
  int (*allocate)(tensor* like, versioned** out, void* context,
                  void (*fail)(void* context, char const* kind, char const* message));
  int (*managed_of_object)(void* object, versioned** out);
  int (*object_of_managed)(versioned* tensor, void** object);
  int (*tensor_of_object)(void* object, tensor* out);  // borrowed; may be null
  int (*current_stream)(device_type type, std::int32_t id, void** stream);
};

// TypeError where it is none of Tally's.
array array_of(tensor const& x);
element element_of(dtype type);
device device_of(array const& x);

}  // namespace tally::python::dlpack
