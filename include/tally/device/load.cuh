// SPDX-License-Identifier: Apache-2.0
//
// How blocks read an array: 16 bytes a thread and load, several loads at once.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>

namespace tally::device {

// Elements of a vector: what 16 bytes hold, or one element where they cannot be cut so.
template <class T>
inline constexpr int vector_size = 16 % sizeof(T) == 0 ? int(16 / sizeof(T)) : 1;

inline constexpr int loads_in_flight = 4;

// A vector from an address that is aligned to it.
template <int size, class T>
__device__ void load_vector(T const* at, T* x) {
  if constexpr (size * sizeof(T) == 16) {
    uint4 const raw = __ldg(reinterpret_cast<uint4 const*>(at));
    memcpy(x, &raw, 16);
  } else {
    for (int k = 0; k < size; ++k) x[k] = at[k];
  }
}

// A block's way through an array, by rows: a vector for each of its threads. Rows begin at the 16-byte
// boundary at or before the first element, so that vectors are aligned; positions count from there,
// and [begin, end) of them are elements.
template <class T>
class row_reader {
 public:
  static constexpr int size = vector_size<T> * loads_in_flight;  // elements that a thread has at once

  __device__ row_reader(T const* data, std::uint64_t n)
      : begin_(vector_size<T> == 1 ? 0 : reinterpret_cast<std::uintptr_t>(data) % 16 / sizeof(T)),
        end_(begin_ + n),
        origin_(reinterpret_cast<T const*>(reinterpret_cast<std::uintptr_t>(data) -
                                           begin_ * sizeof(T))) {}

  __device__ std::uint64_t rows() const { return (end_ + row() - 1) / row(); }

  // The thread's elements in the rows [first, last), at most loads_in_flight; T{} for what is missing.
  // Bit k of the answer is set where x[k] is an element.
  __device__ std::uint64_t load(std::uint64_t first, std::uint64_t last, T (&x)[size]) const {
    constexpr int each = vector_size<T>;
    constexpr std::uint64_t all = ~std::uint64_t(0) >> (64 - size);
    std::uint64_t const at = position(first, 0);
    if (last - first >= loads_in_flight && first * row() >= begin_ &&
        (first + loads_in_flight) * row() <= end_) {
      for (int j = 0; j < loads_in_flight; ++j) load_vector<each>(origin_ + at + j * row(), x + j * each);
      return all;
    }
    std::uint64_t live = 0;
    for (int j = 0; j < loads_in_flight; ++j) {
      std::uint64_t const from = at + j * row();
      bool const in_rows = first + j < last;
      if (in_rows && from >= begin_ && from + each <= end_) {
        load_vector<each>(origin_ + from, x + j * each);
        live |= (all >> (size - each)) << (j * each);
      } else {
        for (int k = 0; k < each; ++k) {
          bool const there = in_rows && from + k >= begin_ && from + k < end_;
          x[j * each + k] = there ? origin_[from + k] : T{};
          live |= std::uint64_t(there) << (j * each + k);
        }
      }
    }
    return live;
  }

  // The index of the element x[k] of the rows from `first` on.
  __device__ std::uint64_t index(std::uint64_t first, int k) const {
    return position(first, k / vector_size<T>) + k % vector_size<T> - begin_;
  }

 private:
  std::uint64_t begin_, end_;
  T const* origin_;

  __device__ std::uint64_t row() const { return std::uint64_t(vector_size<T>) * blockDim.x; }
  __device__ std::uint64_t position(std::uint64_t first, int j) const {
    return (first + j) * row() + threadIdx.x * vector_size<T>;
  }
};

}  // namespace tally::device
