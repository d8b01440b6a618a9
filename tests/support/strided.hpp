// SPDX-License-Identifier: Apache-2.0
//
// Arrays with others between their elements, and what is said of them.
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>

namespace support {

// Goes through an array by a step. It is no contiguous_iterator, whatever the step.
template <class T>
struct stepping {
  using value_type = std::remove_const_t<T>;
  using difference_type = std::ptrdiff_t;
  T* at;
  std::ptrdiff_t step;

  T& operator*() const { return *at; }
  stepping operator+(std::ptrdiff_t n) const { return {at + n * step, step}; }
};

// A row of a matrix that goes down its columns, as Eigen has it.
template <class T>
struct row {
  T* first;
  std::ptrdiff_t count, step;

  T* data() const { return first; }
  std::ptrdiff_t size() const { return count; }
  std::ptrdiff_t innerStride() const { return step; }
  std::ptrdiff_t outerStride() const { return 1; }
  std::ptrdiff_t innerSize() const { return count; }
  std::ptrdiff_t outerSize() const { return 1; }
  stepping<T> begin() const { return {first, step}; }
};

inline std::string refusal(std::string const& argument, int size) {
  return argument + " is not contiguous: its " + std::to_string(size) +
         " elements do not lie one after the other in memory, in its own order; give a contiguous "
         "array, and copy to it or from it";
}

}  // namespace support
