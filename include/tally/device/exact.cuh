// SPDX-License-Identifier: Apache-2.0
//
// Exact sums by a block. A thread adds up what it reads in doubles, in such a way that every
// addition is exact or its error is seen; what does not fit goes to digits that the block shares.
// All ends as integers, so that neither the order nor the way through this file leaves a trace.
#pragma once

#include <variant>

#include "tally/aggregate/fast_sum.hpp"
#include "tally/aggregate/windows.hpp"
#include "tally/device/bins.cuh"
#include "tally/device/shared_digits.cuh"
#include "tally/device/squares.cuh"

namespace tally::device {

// What the block's threads share: digits, and how many values are not finite.
template <class Number>
struct shared_sum {
  static constexpr int words = Number::digits + 3;
  shared_digits<Number> digits;
  int nan, positive_infinity, negative_infinity;

  __device__ void clear() {
    digits.clear();
    if (threadIdx.x == 0) nan = positive_infinity = negative_infinity = 0;
  }

  // As `words` integers, for other blocks, and theirs added: the part-th of 8 threads' part.
  __device__ std::uint64_t word(int i) const {
    if (i < Number::digits) return std::uint64_t(digits.digit(i));
    return i == Number::digits       ? nan
           : i == Number::digits + 1 ? positive_infinity
                                     : negative_infinity;
  }
  __device__ void add_word(int i, std::int64_t x, int part) {
    if (i < Number::digits)
      digits.add_digit(i, x, part);
    else if (part == 0)
      atomicAdd(i == Number::digits       ? &nan
                : i == Number::digits + 1 ? &positive_infinity
                                          : &negative_infinity,
                1);
  }
};

// A thread's part in the exact sum of a block's elements.
template <element T>
class exact_adder;

template <floating T>
class exact_adder<T> {
 public:
  using number = detail::sum_digits<T>;
  using shared_type = shared_sum<number>;

  static std::size_t dynamic_bytes(unsigned threads) {
    return has_bins ? std::size_t(threads) * bins::bytes_a_thread : 0;
  }

  // What a thread has read at once; T{} in place of what does not count.
  template <class Batch>
  __device__ void add(Batch const& x, shared_type& shared) {
    if constexpr (std::is_same_v<T, double>)
      add_halves(x, shared);
    else
      add_window(x, shared);
  }
  __device__ void add_one(T x, shared_type& shared) {
    if (is_finite(x) && (!std::is_same_v<T, double> || fabs(double(as_double(x))) < 0x1p960))
      put(as_double(x), shared);
    else
      add_special(x, shared);
  }

  // By whole warps, after the last add.
  __device__ void close(shared_type& shared) {
    shared.digits.add_warp(sum_);
    if constexpr (std::is_same_v<T, double>) shared.digits.add_warp(rest_);
    if constexpr (has_bins) bins_.close(shared.digits);
  }

 private:
  static constexpr bool has_bins = is_one_of<T, float, bfloat16>;
  double sum_ = 0, rest_ = 0;
  std::conditional_t<has_bins, bins, std::monostate> bins_;

  // The types of up to 32 bits: while what is read at once is close enough together, plain double
  // additions are exact (windows.hpp has the same on a CPU).
  template <class Batch>
  __device__ void add_window(Batch const& x, shared_type& shared) {
    constexpr int size = Batch::size;
    using seen = detail::seen_as<T>;
    unsigned largest = 0, smallest = ~0u;
    double sum[4] = {};
#pragma unroll
    for (int k = 0; k < size; ++k) {
      float const value = as_float(x[k]);
      unsigned const magnitude = to_bits(value) & 0x7fffffff;
      if constexpr (!std::is_same_v<T, float16>) {
        largest = max(largest, magnitude);
        smallest = min(smallest, magnitude - 1);  // a zero becomes large
      }
      sum[k % 4] += double(value);
    }
    double const all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    bool fits;
    if constexpr (std::is_same_v<T, float16>) {
      fits = is_finite(all);
    } else {
      int const top = int(largest >> 23), bottom = max(int(smallest >> 23), seen::least);
      fits = top < seen::not_finite &&
             log2_of(size) + (top + 1 - bottom) + (seen::precision - 1) <= 53;
    }
    if (fits)
      put(all, shared);
    else
      add_all_apart(x, shared);
  }

  // double: each element is cut into its upper 27 bits and the rest, and both are added up as
  // above.
  template <class Batch>
  __device__ void add_halves(Batch const& x, shared_type& shared) {
    constexpr int size = Batch::size;
    unsigned largest = 0, smallest = ~0u;
    double high_sum[2] = {}, low_sum[2] = {};
#pragma unroll
    for (int k = 0; k < size; ++k) {
      std::uint64_t const magnitude = to_bits(x[k]) & ~format<double>::sign;
      largest = max(largest, unsigned(magnitude >> 32));
      smallest = min(smallest, unsigned((magnitude - 1) >> 32));
      double const high = from_bits<double>(to_bits(x[k]) & (~std::uint64_t(0) << 26));
      high_sum[k % 2] += high;
      low_sum[k % 2] += x[k] - high;
    }
    int const top = int(largest >> 20), bottom = max(int(smallest >> 20), 1);
    constexpr int room = 64;  // for as many additions as there may be
    if (top + room < format<double>::max_field && log2_of(size) + (top + 1 - bottom) + 26 <= 53) {
      put(high_sum[0] + high_sum[1], shared);
      put_rest(low_sum[0] + low_sum[1], shared);
    } else {
      add_all_apart(x, shared);
    }
  }

  __device__ void put(double x, shared_type& shared) {
    double error;
    sum_ = two_sum(sum_, x, error);
    if (error == 0) return;
    if constexpr (std::is_same_v<T, double>)
      put_rest(error, shared);
    else
      shared.digits.add(error);
  }
  __device__ void put_rest(double x, shared_type& shared) {
    double error;
    rest_ = two_sum(rest_, x, error);
    if (error != 0) shared.digits.add(error);
  }

  // One by one: any values.
  template <class Batch>
  __device__ void add_all_apart(Batch const& x, shared_type& shared) {
    constexpr int size = Batch::size;
    if constexpr (has_bins) bins_.reserve(size, shared.digits);
    if constexpr (sizeof(T) == 2) {
      Batch const copy = x;  // in memory, for a loop
#pragma unroll 1
      for (int k = 0; k < size; ++k) add_apart(copy[k], shared);
    } else {
#pragma unroll
      for (int k = 0; k < size; ++k) add_apart(x[k], shared);
    }
  }
  __device__ void add_apart(T x, shared_type& shared) {
    if (std::is_same_v<T, double> || !is_finite(x))
      add_special(x, shared);
    else if constexpr (has_bins)
      bins_.add(as_float(x));
    else
      put(as_double(x), shared);
  }

  // A value that no thread can keep. (A call here would cost the loop above it 18 % of its speed.)
  __device__ static void add_special(T x, shared_type& shared) {
    if (is_finite(x)) {
      auto const p = take_apart(x);
      shared.digits.add(p.negative, p.significand, p.exponent);
    } else {
      bool const negative = to_bits(x) & format<T>::sign;
      atomicAdd(is_nan(x)  ? &shared.nan
                : negative ? &shared.negative_infinity
                           : &shared.positive_infinity,
                1);
    }
  }

  __device__ static float as_float(T x) {
    if constexpr (std::is_same_v<T, float>)
      return x;
    else if constexpr (!std::is_same_v<T, double>)
      return detail::to_float(x);
  }
};

// Integers, by 32-bit halves where they have 64 bits.
template <integer T>
class exact_adder<T> {
 public:
  using number = detail::sum_digits<T>;
  using shared_type = shared_sum<number>;

  static std::size_t dynamic_bytes(unsigned) { return 0; }

  template <class Batch>
  __device__ void add(Batch const& x, shared_type& shared) {
#pragma unroll
    for (int k = 0; k < Batch::size; ++k) add_one(x[k], shared);
  }
  __device__ void add_one(T x, shared_type&) {
    if constexpr (sizeof(T) == 8) {
      low_ += std::uint64_t(x) & 0xffffffff;
      high_ += std::uint64_t(x >> 32);  // arithmetic for signed types
    } else {
      low_ += std::uint64_t(x);
    }
  }
  __device__ void close(shared_type& shared) {
    deposit(low_, 0, sizeof(T) < 8 && std::is_signed_v<T>, shared);
    if constexpr (sizeof(T) == 8) deposit(high_, 32, std::is_signed_v<T>, shared);
  }

 private:
  std::uint64_t low_ = 0, high_ = 0;

  __device__ static void deposit(std::uint64_t x, int exponent, bool is_signed,
                                 shared_type& shared) {
    auto const all = warp::detail::redux_of(x, plus{});
    bool const negative = is_signed && std::int64_t(all) < 0;
    if (threadIdx.x % warp_size == 0)
      shared.digits.add(negative, negative ? 0 - all : all, exponent);
  }
};

}  // namespace tally::device
