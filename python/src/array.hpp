// SPDX-License-Identifier: Apache-2.0
//
// Arrays of Python's libraries: how they are read where they lie, and how results become arrays of
// the same library.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tally/ndarray.hpp"

namespace tally::python {

namespace nb = nanobind;

class library;

// An array that somebody else owns.
struct array {
  static constexpr int host = -1;

  dtype type{};
  void* data = nullptr;
  std::vector<std::uint64_t> shape = {};
  std::vector<std::int64_t> strides = {};  // in elements
  int device = host;                       // the GPU in whose memory it lies
  void* stream = nullptr;                  // of that GPU, behind which it is complete
  bool writable = true;
  validity valid = {};
  library const* from = nullptr;
  std::shared_ptr<void> kept = {};    // keeps the memory
  std::shared_ptr<void> copied = {};  // or that of a copy

  any_ndarray input() const {
    any_ndarray all(type, data, shape, strides);
    all.valid = valid;
    return all;
  }
  any_ndarray_output output() const { return {type, data, shape, strides}; }
  std::uint64_t size() const;
};

// One of Python's array libraries, or several that are alike.
class library {
 public:
  virtual ~library() = default;
  // TypeError where the elements are none of Tally's.
  virtual array read(nb::handle x) const = 0;
  // A new array, where `like` lies; or room that finish() makes an array of, once it is written.
  virtual std::pair<nb::object, array> empty(dtype type, std::vector<std::uint64_t> const& shape,
                                             array const& like) const = 0;
  virtual nb::object finish(array const&) const { return {}; }
  // Whether sums of unsigned integers of less than 64 bits are int64, as PyTorch has them, and not
  // uint64.
  virtual bool has_signed_sums() const { return false; }
  // Whether results of no dimensions are numbers, and not arrays; and such a number.
  virtual bool has_scalars() const { return false; }
  virtual nb::object scalar(any_number const&) const { return {}; }
};

// `x` of the call: an array, or what NumPy makes one of, if that will do; or TypeError.
array read_array(char const* call, char const* argument, nb::handle x, bool made_here = true);
// The same of one that results go to.
array read_output(char const* call, nb::handle x, dtype type,
                  std::vector<std::uint64_t> const& shape, array const& like);

// numpy.float32, torch.float32, "float32", float, ...: by its name.
dtype dtype_of(char const* call, nb::handle x);

// The libraries: of types with a DLPack exchange in C; of NumPy and what has Python's buffers; of
// Arrow's columns; with __cuda_array_interface__; of others with __dlpack__. Null where it is not
// theirs.
library const* exchange_library(nb::handle x);
library const* numpy_library(nb::handle x);
library const* arrow_library(nb::handle x);
library const* cuda_array_library(nb::handle x);
library const* dlpack_library(nb::handle x);
library const& numpy_arrays();

// What becomes a TypeError, and a ValueError.
struct wrong_type : error {
  using error::error;
};
[[noreturn]] inline void fail_type(std::string const& message) { throw wrong_type(message); }
[[noreturn]] inline void fail_value(std::string const& message) { throw error(message); }
// A number, and a shape, as Python has them.
nb::object python_number(any_number const& x);
nb::object tuple_of(std::vector<std::uint64_t> const& shape);

// The bytes of an array of such elements; throws bad_alloc where 64 bits do not count them.
std::size_t bytes_of(dtype type, std::vector<std::uint64_t> const& shape);
// Strides of C order.
std::vector<std::int64_t> c_order(std::vector<std::uint64_t> const& shape);
std::string text_of(std::vector<std::uint64_t> const& shape);
// Gives an array another shape, as NumPy broadcasts it; false where that cannot be.
bool broadcast_to(array& x, std::vector<std::uint64_t> const& shape);
inline bool lies_in_c_order(array const& x) { return x.strides == c_order(x.shape); }
// A copy in the host's memory of elements that lie there at any address, in steps of bytes.
array copy_of_bytes(dtype type, void const* data, std::vector<std::uint64_t> const& shape,
                    std::vector<std::int64_t> const& strides);

}  // namespace tally::python
