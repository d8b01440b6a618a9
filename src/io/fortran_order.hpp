// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tally::io {

// Reads an array stored in Fortran order (first axis fastest) in C order (last axis fastest).
class fortran_order {
 public:
  // No length is 0; there is at least one axis.
  fortran_order(std::vector<std::uint64_t> shape, std::size_t element_size);

  // Copies elements [first, first + n) of the C order, or fewer but at least one, and returns how
  // many. Of a matrix it copies whole rows where n has room for them, so that what is read from
  // each column is one run.
  std::size_t gather(std::byte const* array, std::uint64_t first, std::size_t n,
                     std::byte* out) const;

 private:
  template <std::size_t Size>
  std::size_t gather(std::byte const* array, std::uint64_t first, std::size_t n,
                     std::byte* out) const;

  std::vector<std::uint64_t> shape_;
  std::vector<std::uint64_t> stride_;  // of an axis in the file, in elements
  std::vector<std::uint64_t> block_;   // of an axis in C order: elements of one step along it
  std::size_t element_size_;
};

}  // namespace tally::io
