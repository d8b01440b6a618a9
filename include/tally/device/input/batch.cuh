// SPDX-License-Identifier: Apache-2.0
//
// What a thread has read at once.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "tally/aggregate/zipped.hpp"

namespace tally::device {

inline constexpr int vector_bytes = 16;

// Elements of a vector: what 16 bytes hold, or one element where they cannot be cut so.
template <class T>
inline constexpr int vector_size =
    vector_bytes % sizeof(T) == 0 ? int(vector_bytes / sizeof(T)) : 1;

// Puts zeros in the place of a batch's NaNs, and returns how many there were.
template <class Batch>
__device__ int put_zeros_for_nan(Batch& x) {
  int found = 0;
#pragma unroll
  for (int k = 0; k < Batch::size; ++k) {
    if (!is_nan(x[k])) continue;
    x.set(k, std::remove_cvref_t<decltype(x[k])>{});
    ++found;
  }
  return found;
}

// Some vectors of `Each` elements. Narrow ones stay packed in 32-bit words until they are used:
// there are not the registers for all of them.
template <class T, int Vectors, int Each = vector_size<T>, bool = vector_bytes % sizeof(T) == 0>
class batch {
 public:
  static constexpr int vectors = Vectors, each = Each, size = Vectors * Each;
  static constexpr int words = (size * int(sizeof(T)) + 3) / 4;
  // Whether a vector is whole words, each of elements alone.
  static constexpr bool in_words = each * sizeof(T) % 4 == 0;

  // Loads a vector of 16 bytes from an address that is aligned to it.
  __device__ void load(int vector, T const* from) {
    put(vector, __ldg(reinterpret_cast<uint4 const*>(from)));
  }
  // Takes a vector from shared memory, aligned to 16 bytes; and puts one there.
  __device__ void take(int vector, T const* from) {
    put(vector, *reinterpret_cast<uint4 const*>(from));
  }
  __device__ void give(int vector, T* to) const {
    std::uint32_t const* const from = word_ + 4 * vector;
    *reinterpret_cast<uint4*>(to) = uint4{from[0], from[1], from[2], from[3]};
  }
  // Loads a vector from `past` bytes behind such an address: both aligned vectors must be readable.
  __device__ void load_shifted(int vector, T const* from, unsigned past) {
    auto const* const whole =
        reinterpret_cast<uint4 const*>(reinterpret_cast<char const*>(from) - past);
    uint4 const low = __ldg(whole), high = __ldg(whole + 1);
    bool const two = past & 8, one = past & 4;
    std::uint32_t const a[6] = {two ? low.z : low.x,  two ? low.w : low.y,   two ? high.x : low.z,
                                two ? high.y : low.w, two ? high.z : high.x, two ? high.w : high.y};
    std::uint32_t b[5];
    for (int i = 0; i < 5; ++i) b[i] = one ? a[i + 1] : a[i];
    unsigned const bits = 8 * (past & 3);
    put(vector, {__funnelshift_r(b[0], b[1], bits), __funnelshift_r(b[1], b[2], bits),
                 __funnelshift_r(b[2], b[3], bits), __funnelshift_r(b[3], b[4], bits)});
  }
  __device__ void clear(int vector) {
    constexpr int bytes = each * sizeof(T);
    if constexpr (bytes % 4 == 0)
      for (int i = 0; i < bytes / 4; ++i) word_[bytes / 4 * vector + i] = 0;
    else
      for (int k = 0; k < each; ++k) set(vector * each + k, {});
  }
  __device__ void set(int k, T x) {
    if constexpr (sizeof(T) >= 4) {
      memcpy(word_ + k * sizeof(T) / 4, &x, sizeof x);
    } else {
      constexpr std::uint32_t ones = (1u << 8 * sizeof(T)) - 1;
      std::uint32_t bits = 0;
      memcpy(&bits, &x, sizeof x);
      int const shift = 8 * (k * sizeof(T) % 4);
      auto& word = word_[k * sizeof(T) / 4];
      word = (word & ~(ones << shift)) | bits << shift;
    }
  }
  __device__ T operator[](int k) const {
    T x;
    if constexpr (sizeof(T) >= 4) {
      memcpy(&x, word_ + k * sizeof(T) / 4, sizeof x);
    } else {
      std::uint32_t const bits = word_[k * sizeof(T) / 4] >> (8 * (k * sizeof(T) % 4));
      memcpy(&x, &bits, sizeof x);
    }
    return x;
  }
  __device__ std::uint32_t word(int i) const { return word_[i]; }
  // The j-th vector, chosen while it runs.
  __device__ auto vector(int j) const
    requires in_words
  {
    batch<T, 1, Each> v;
    constexpr int count = words / vectors;
#pragma unroll
    for (int i = 0; i < count; ++i) {
      v.word_[i] = word_[i];
#pragma unroll
      for (int other = 1; other < vectors; ++other)
        if (j == other) v.word_[i] = word_[other * count + i];
    }
    return v;
  }
  // Elements k and k + 1 of 16 bits, for an even k.
  __device__ std::uint32_t pair(int k) const { return word_[k / 2]; }
  __device__ void set_pair(int k, std::uint32_t halves) { word_[k / 2] = halves; }
  __device__ int replace_nan_by_zero() { return put_zeros_for_nan(*this); }

 private:
  template <class, int, int, bool>
  friend class batch;
  std::uint32_t word_[words];

  __device__ void put(int vector, uint4 const& raw) {
    static_assert(each * sizeof(T) == vector_bytes);
    std::uint32_t* const to = word_ + 4 * vector;
    to[0] = raw.x, to[1] = raw.y, to[2] = raw.z, to[3] = raw.w;
  }
};

template <class T, int Vectors, int Each>
class batch<T, Vectors, Each, false> {
 public:
  static constexpr int vectors = Vectors, each = Each, size = Vectors * Each;
  static constexpr bool in_words = false;
  __device__ void clear(int vector) {
    for (int k = 0; k < each; ++k) x_[vector * each + k] = T{};
  }
  __device__ void set(int k, T const& x) { x_[k] = x; }
  __device__ T const& operator[](int k) const { return x_[k]; }
  __device__ int replace_nan_by_zero() { return put_zeros_for_nan(*this); }

 private:
  T x_[size];
};

// The j-th vector of a batch of elements `T`.
template <class T, class Batch>
__device__ auto vector_of(Batch const& x, int j) {
  batch<T, 1, Batch::each> v;
#pragma unroll
  for (int k = 0; k < Batch::each; ++k) v.set(k, x[j * Batch::each + k]);
  return v;
}

// What a thread has read, in memory, for a loop that is not worth its length many times over.
template <class T, class Batch>
struct array_of {
  T value[Batch::size];
  __device__ explicit array_of(Batch const& x) {
#pragma unroll
    for (int k = 0; k < Batch::size; ++k) value[k] = x[k];
  }
};

// Pairs of the elements of two.
template <class A, class B>
class zipped_batch {
 public:
  static constexpr int vectors = A::vectors, each = A::each, size = A::size;
  A first;
  B second;

  __device__ void clear(int vector) { first.clear(vector), second.clear(vector); }
  template <class T, class U>
  __device__ void set(int k, zipped<T, U> const& x) {
    first.set(k, x.first), second.set(k, x.second);
  }
  __device__ auto operator[](int k) const { return zip_of(first[k], second[k]); }
  __device__ int replace_nan_by_zero() { return put_zeros_for_nan(*this); }

 private:
  template <class T, class U>
  static __device__ zipped<T, U> zip_of(T const& a, U const& b) {
    return {a, b};
  }
};

}  // namespace tally::device
