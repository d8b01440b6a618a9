// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
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

inline fortran_order::fortran_order(std::vector<std::uint64_t> shape, std::size_t element_size)
    : shape_(std::move(shape)),
      stride_(shape_.size(), 1),
      block_(shape_.size(), 1),
      element_size_(element_size) {
  auto const axes = shape_.size();
  for (std::size_t a = 1; a < axes; ++a) stride_[a] = stride_[a - 1] * shape_[a - 1];
  for (std::size_t a = axes - 1; a > 0; --a) block_[a - 1] = block_[a] * shape_[a];
}

inline std::size_t fortran_order::gather(std::byte const* array, std::uint64_t first, std::size_t n,
                                         std::byte* out) const {
  switch (element_size_) {
    case 1: return gather<1>(array, first, n, out);
    case 2: return gather<2>(array, first, n, out);
    case 4: return gather<4>(array, first, n, out);
    default: return gather<8>(array, first, n, out);
  }
}

// The elements are those of `steps` consecutive indices of one axis, whole blocks each: every
// element of a block is copied for all the steps before the next one is.
template <std::size_t Size>
std::size_t fortran_order::gather(std::byte const* array, std::uint64_t first, std::size_t n,
                                  std::byte* out) const {
  std::size_t axis = 0;
  while (block_[axis] > n || first % block_[axis] != 0) ++axis;
  std::uint64_t from = 0;
  for (std::size_t a = 0; a <= axis; ++a) from += first / block_[a] % shape_[a] * stride_[a];
  auto const block = block_[axis];
  auto const steps = std::min(n / block, shape_[axis] - first / block % shape_[axis]);
  auto const stride = stride_[axis];

  std::vector<std::uint64_t> index(shape_.size(), 0);
  for (std::uint64_t i = 0; i < block; ++i) {
    for (std::uint64_t step = 0; step < steps; ++step)
      std::memcpy(out + (step * block + i) * Size, array + (from + step * stride) * Size, Size);
    for (std::size_t a = shape_.size() - 1; a > axis; --a) {
      from += stride_[a];
      if (++index[a] < shape_[a]) break;
      from -= std::exchange(index[a], 0) * stride_[a];
    }
  }
  return steps * block;
}

}  // namespace tally::io
