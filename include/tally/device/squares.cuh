// SPDX-License-Identifier: Apache-2.0
//
// Exact sums of squares by a block, as exact.cuh has sums.
#pragma once

#include "tally/aggregate/fast_sum.hpp"
#include "tally/device/expansion.cuh"

namespace tally::device {

__host__ __device__ constexpr int log2_of(int n) { return n < 2 ? 0 : 1 + log2_of(n / 2); }

template <class T>
__device__ double as_double(T x) {
  if constexpr (sizeof(T) == 2)
    return double(detail::to_float(x));
  else
    return double(x);
}

// A thread's part in the exact sum of the squares of a block's finite elements.
template <element T>
class square_adder;

// By folds: what is read at once is cut at two or three places, which all values have in common, so
// that every addition is exact or leaves a rest (folds.hpp has the same on a CPU).
template <floating T>
class square_adder<T> {
 public:
  using number = detail::square_digits<T>;
  using digits = shared_digits<number>;

  template <class Batch>
  __device__ void add(Batch const& x, digits& shared) {
    unsigned largest = 0, smallest = ~0u;
#pragma unroll
    for (int k = 0; k < Batch::size; ++k) {
      auto const magnitude = magnitude_of(x[k]);
      largest = max(largest, unsigned(magnitude >> shift));
      smallest = min(smallest, unsigned((magnitude - 1) >> shift));  // a zero becomes large
    }
    if (largest == 0 && smallest > 0x7fffffff) return;
    int const top = int(largest >> host::field) - host::bias,
              bottom = int(smallest >> host::field) - host::bias;
    if (top > host::most || bottom < -450 || !fold(x, 2 * top, shared)) add_apart(x, shared);
  }
  __device__ void add_one(T x, digits& shared) {
    if (!is_finite(x)) return;
    auto const p = take_apart(x);
    std::uint64_t const low = p.significand & 0xffffffff, high = p.significand >> 32;
    add_digits(low * low, 2 * p.exponent, shared);
    add_digits(low * high, 2 * p.exponent + 33, shared);
    add_digits(high * high, 2 * p.exponent + 64, shared);
  }
  __device__ void close(digits& shared) const { sum_.close(shared); }

 private:
  static constexpr bool exact = !std::is_same_v<T, double>;  // the squares, as doubles
  static constexpr int folds = exact ? 2 : 3;
  // Where an element's exponent is, seen as a float or a double: x < 2^(exponent field - bias); of
  // those that can be squared, at most `most`.
  struct as_float {
    static constexpr int field = 23, bias = 126, most = 128;
  };
  struct as_upper_half {  // of a double
    static constexpr int field = 20, bias = 1022, most = 480;
  };
  using host = std::conditional_t<exact, as_float, as_upper_half>;
  static constexpr int shift = exact ? 0 : 32;
  expansion sum_;

  __device__ static auto magnitude_of(T x) {
    if constexpr (sizeof(T) == 2)
      return to_bits(detail::to_float(x)) & 0x7fffffffu;
    else
      return to_bits(x) & bits_of<T>(~format<T>::sign);
  }

  // All squares are below 2^top.
  template <class Batch>
  __device__ bool fold(Batch const& x, int top, digits& shared) {
    constexpr int bits = log2_of(Batch::size) + (exact ? 1 : 2);
    double anchor[folds], sum[folds];
#pragma unroll
    for (int i = 0; i < folds; ++i) {
      int const cut = top + bits - 51 + i * (bits - 52);
      anchor[i] = sum[i] = 1.5 * from_bits<double>(std::uint64_t(1023 + 52 + cut) << 52);
    }
    std::uint64_t rest = 0;
#pragma unroll
    for (int k = 0; k < Batch::size; ++k) {
      double const value = as_double(x[k]), square = value * value;
      rest |= leave(square, sum);
      if constexpr (!exact) rest |= leave(fma(value, value, -square), sum);
    }
    if (rest << 1) return false;
#pragma unroll
    for (int i = 0; i < folds; ++i) sum_.put(sum[i] - anchor[i], shared);
    return true;
  }
  __device__ static std::uint64_t leave(double x, double (&sum)[folds]) {
#pragma unroll
    for (double& s : sum) {
      double const next = s + x;
      x -= next - s;
      s = next;
    }
    return to_bits(x);
  }

  template <class Batch>
  __device__ void add_apart(Batch const& x, digits& shared) {
    Batch const copy = x;  // in memory, for a loop; x stays in registers
#pragma unroll 1
    for (int k = 0; k < Batch::size; ++k) add_one(copy[k], shared);
  }
  __device__ static void add_digits(std::uint64_t significand, int exponent, digits& shared) {
    if (significand != 0) shared.add(false, significand, exponent);
  }
};

// Integers: by 32-bit pieces of the squares.
template <integer T>
class square_adder<T> {
 public:
  using number = detail::square_digits<T>;
  using digits = shared_digits<number>;

  template <class Batch>
  __device__ void add(Batch const& x, digits&) {
#pragma unroll
    for (int k = 0; k < Batch::size; ++k) put(x[k]);
  }
  __device__ void add_one(T x, digits&) { put(x); }
  __device__ void close(digits& shared) const {
#pragma unroll
    for (int i = 0; i < pieces; ++i) {
      std::uint64_t const all = warp::detail::redux_of(piece_[i], plus{});
      if (threadIdx.x % warp_size == 0) shared.add(false, all, 32 * i);
    }
  }

 private:
  static constexpr int pieces = sizeof(T) <= 2 ? 1 : sizeof(T) / 2;
  std::uint64_t piece_[pieces] = {};

  __device__ void put(T x) {
    std::uint64_t const value = take_apart(x).significand, low = value * value;
    if constexpr (pieces == 1) {
      piece_[0] += low;
    } else {
      piece_[0] += low & 0xffffffff;
      piece_[1] += low >> 32;
    }
    if constexpr (pieces == 4) {
      std::uint64_t const high = __umul64hi(value, value);
      piece_[2] += high & 0xffffffff;
      piece_[3] += high >> 32;
    }
  }
};

}  // namespace tally::device
