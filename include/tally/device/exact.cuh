// SPDX-License-Identifier: Apache-2.0
//
// Exact sums by a block. A thread adds up what it reads in doubles, in such a way that every addition
// is exact or its error is seen; what does not fit goes to digits that the block shares. All ends as
// integers, so that neither the order nor the way through this file leaves a trace.
#pragma once

#include <variant>

#include "tally/aggregate/fast_sum.hpp"
#include "tally/aggregate/windows.hpp"
#include "tally/device/bins.cuh"
#include "tally/device/shared_digits.cuh"

namespace tally::device {

// a + b = sum + error, exactly (Knuth).
__device__ inline double two_sum(double a, double b, double& error) {
  double const sum = a + b, part = sum - a;
  error = (a - (sum - part)) + (b - part);
  return sum;
}

__host__ __device__ constexpr int log2_of(int n) { return n < 2 ? 0 : 1 + log2_of(n / 2); }

// A thread's part in the exact sum of a block's elements.
template <floating T>
class exact_adder {
 public:
  using number = detail::sum_digits<T>;
  struct shared_type {
    shared_digits<number> digits;
    int nan, positive_infinity, negative_infinity;
  };

  static std::size_t dynamic_bytes(unsigned threads) {
    return has_bins ? std::size_t(threads) * bins::bytes_a_thread : 0;
  }

  __device__ static void start(shared_type& shared) {
    shared.digits.clear();
    if (threadIdx.x == 0) shared.nan = shared.positive_infinity = shared.negative_infinity = 0;
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
    if (is_finite(x) && (!std::is_same_v<T, double> || fabs(as_double(x)) < 0x1p960))
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

  // double: each element is cut into its upper 27 bits and the rest, and both are added up as above.
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

  // A value that no thread can keep.
  __device__ static __noinline__ void add_special(T x, shared_type& shared) {
    if (is_finite(x)) {
      auto const p = take_apart(x);
      shared.digits.add(p.negative, p.significand, p.exponent);
    } else {
      bool const negative = to_bits(x) & format<T>::sign;
      atomicAdd(is_nan(x) ? &shared.nan
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
  __device__ static double as_double(T x) {
    if constexpr (std::is_same_v<T, double>)
      return x;
    else
      return double(as_float(x));
  }
};

}  // namespace tally::device
