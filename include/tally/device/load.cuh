// SPDX-License-Identifier: Apache-2.0
//
// How blocks read an array: 16 bytes a thread and load, several loads at once.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "tally/rounding.hpp"

namespace tally::device {

// Elements of a vector: what 16 bytes hold, or one element where they cannot be cut so.
template <class T>
inline constexpr int vector_size = 16 % sizeof(T) == 0 ? int(16 / sizeof(T)) : 1;

inline constexpr int loads_in_flight = 4;

// Whether vectors can be loaded from multiples of them on.
template <class T>
bool is_aligned(T const* data) {
  return reinterpret_cast<std::uintptr_t>(data) % (vector_size<T> * sizeof(T)) == 0;
}

// What a thread has read, some vectors of elements. Narrow ones stay packed in 32-bit words until
// they are used: there are not the registers for all of them.
template <class T, int vectors, bool = 16 % sizeof(T) == 0>
class batch {
 public:
  static constexpr int each = vector_size<T>, size = vectors * each;

  // From an address that is aligned to a vector.
  __device__ void load(int vector, T const* from) {
    uint4 const raw = __ldg(reinterpret_cast<uint4 const*>(from));
    std::uint32_t* const to = word_ + 4 * vector;
    to[0] = raw.x, to[1] = raw.y, to[2] = raw.z, to[3] = raw.w;
  }
  __device__ void clear(int vector) {
    for (int i = 0; i < 4; ++i) word_[4 * vector + i] = 0;
  }
  __device__ void set(int k, T x) {
    if constexpr (sizeof(T) >= 4) {
      memcpy(word_ + k * sizeof(T) / 4, &x, sizeof x);
    } else {
      constexpr std::uint32_t ones = (1u << 8 * sizeof(T)) - 1;
      int const shift = 8 * (k * sizeof(T) % 4);
      auto& word = word_[k * sizeof(T) / 4];
      word = (word & ~(ones << shift)) | std::uint32_t(to_bits(x)) << shift;
    }
  }
  __device__ T operator[](int k) const {
    if constexpr (sizeof(T) >= 4) {
      T x;
      memcpy(&x, word_ + k * sizeof(T) / 4, sizeof x);
      return x;
    } else {
      return from_bits<T>(bits_of<T>(word_[k * sizeof(T) / 4] >> (8 * (k * sizeof(T) % 4))));
    }
  }
  // How many there were.
  __device__ int replace_nan_by_zero() {
    int found = 0;
#pragma unroll
    for (int k = 0; k < size; ++k) {
      if (!is_nan((*this)[k])) continue;
      set(k, T{});
      ++found;
    }
    return found;
  }

 private:
  std::uint32_t word_[4 * vectors];
};

template <class T, int vectors>
class batch<T, vectors, false> {
 public:
  static constexpr int each = 1, size = vectors;
  __device__ void load(int vector, T const* from) { x_[vector] = *from; }
  __device__ void clear(int vector) { x_[vector] = T{}; }
  __device__ void set(int k, T const& x) { x_[k] = x; }
  __device__ T const& operator[](int k) const { return x_[k]; }

 private:
  T x_[vectors];
};

// An array cut for the blocks of a launch, by the host: whole vectors, aligned, and what lies
// before and behind them, less than two vectors of single elements. A row is a vector for each
// thread of a block; each block has as many rows as the next, or one more.
struct cut {
  std::uint64_t vectors;
  unsigned head, tail;  // elements
  unsigned share, extra;
};

template <class T>
cut cut_for(T const* data, std::uint64_t n, unsigned blocks, unsigned threads) {
  constexpr std::uint64_t size = vector_size<T>;
  auto const past = reinterpret_cast<std::uintptr_t>(data) % 16;
  std::uint64_t head = size == 1 || past == 0 ? 0 : (16 - past) / sizeof(T);
  if (head > n) head = n;
  std::uint64_t const vectors = (n - head) / size, rows = (vectors + threads - 1) / threads;
  return {vectors, unsigned(head), unsigned((n - head) % size), unsigned(rows / blocks),
          unsigned(rows % blocks)};
}

// A thread's way through the rows of its block, some vectors at a time. Blocks are one-dimensional.
template <class T>
class row_reader {
 public:
  using batch_type = batch<T, loads_in_flight>;

  __device__ row_reader(T const* data, cut const& c) : at_(threadIdx.x) {
    bool const more = blockIdx.x < c.extra;
    std::uint64_t const row = std::uint64_t(c.share) * blockIdx.x + (more ? blockIdx.x : c.extra);
    std::uint64_t const first = row * blockDim.x, left = c.vectors - first;
    first_ = c.head + first * vector_size<T>;
    data_ = data + first_;
    unsigned const whole = (c.share + more) * blockDim.x;
    count_ = first >= c.vectors ? 0 : left < whole ? unsigned(left) : whole;
  }

  __device__ bool done() const {
    return at_ - threadIdx.x >= count_;
  }  // the same in the whole block

  // The next vectors, zeros for what there is not. Bit j of the answer tells whether there is the
  // j-th.
  __device__ unsigned load(batch_type& x) const {
    unsigned live = 0;
#pragma unroll
    for (int j = 0; j < loads_in_flight; ++j) {
      unsigned const v = at_ + j * blockDim.x;
      if (v < count_) {
        x.load(j, data_ + std::uint64_t(v) * vector_size<T>);
        live |= 1u << j;
      } else {
        x.clear(j);
      }
    }
    return live;
  }
  __device__ void advance() { at_ += loads_in_flight * blockDim.x; }

  // The index of the element x[k].
  __device__ std::uint64_t index(int k) const {
    constexpr int each = vector_size<T>;
    return first_ + std::uint64_t(at_ + k / each * blockDim.x) * each + k % each;
  }

 private:
  T const* data_;
  std::uint64_t first_;  // the index of the block's first element
  unsigned at_, count_;  // vectors of the block: the thread's next one, and how many there are
};

}  // namespace tally::device
