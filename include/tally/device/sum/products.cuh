// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/aggregate/zipped.hpp"
#include "tally/device/sum/exact.cuh"

namespace tally::device {

// A thread's part in the exact sum of the products of a block's pairs. A product is a double, or
// one and its error (TwoProduct by a fused operation: Ogita, Rump and Oishi, 2005); these are added
// up as exact.cuh does it with doubles.
template <floating T, int Offset = 0, int Columns = warp_size>
class product_adder {
  using f = format<T>;
  static constexpr bool is_double = std::is_same_v<T, double>;

 public:
  using number = detail::square_digits<T>;
  using shared_type = shared_sum<number>;
  using columns = privatised_superaccumulator<number, 16, first_bit<T, number, 2>, Offset, Columns>;
  static constexpr int dynamic_bytes = columns::bytes;

  __device__ static void clear_apart() { columns::clear(); }

  // Adds what a thread has read at once, zeros in place of what does not count; for whole warps.
  template <class Batch>
  __device__ void add(Batch const& x, shared_type& shared) {
    bool fits = false, apart = apart_.expects();
    if (!apart) {
      fits = add_if_close(x, shared);
      apart = __popc(__ballot_sync(~0u, !fits)) >= many;
      if (apart) apart_.expect_more();
    }
    if (apart) apart_.reserve(Batch::size, shared.digits);
    if (!fits) apart ? add_apart(x, shared) : add_singly(x, shared);
  }
  __device__ void add_one(zipped<T, T> const& x, shared_type& shared) {
    auto const p = take_apart(x.first), q = take_apart(x.second);
    if (!is_finite(x.first) || !is_finite(x.second)) {
      double const product = as_double(x.first) * as_double(x.second);
      shared.add_special(is_nan(product), product < 0);
    } else if (p.significand != 0 && q.significand != 0) {
      bool const negative = p.negative != q.negative;
      int const exponent = p.exponent + q.exponent;
      std::uint64_t const low = std::uint64_t(p.significand) * q.significand;
      std::uint64_t const high = __umul64hi(p.significand, q.significand);
      if (low != 0) shared.digits.add(negative, low, exponent);
      if (high != 0) shared.digits.add(negative, high, exponent + 64);
    }
  }
  __device__ void close(shared_type& shared) { sum_.close(shared.digits); }
  __device__ static bool close_apart(shared_type& shared) { return columns::close(shared.digits); }

 private:
  static constexpr int many = 4;  // lanes
  columns apart_;
  expansion<is_double ? 3 : 2> sum_;

  // Whether a * b - product is a double.
  __device__ static bool has_error(double a, double b, double product) {
    double const size = fabs(product);
    return (size >= 0x1p-960 && size <= 0x1p1000) || (product == 0 && (a == 0 || b == 0));
  }

  // Adds the products if they are close enough together; else adds nothing and returns false.
  template <class Batch>
  __device__ bool add_if_close(Batch const& x, shared_type& shared) {
    constexpr int size = Batch::size;
    double product[size], error[size];
    TALLY_CLAIM(begin());
    bool exact = true;
#pragma unroll
    for (int k = 0; k < size; ++k) {
      double const a = as_double(x[k].first), b = as_double(x[k].second);
      product[k] = fma(a, b, -0.0);  // which nobody fuses with what follows
      if constexpr (is_double) {
        exact = exact && has_error(a, b, product[k]);
        error[k] = fma(a, b, -product[k]);
        if (exact) TALLY_CLAIM(product("products.error", a, b, product[k], error[k]));
      }
    }
    TALLY_CLAIM(settle(exact));
    if (!exact || !add_values<0>(product, shared)) return false;
    if constexpr (is_double)
      if (!add_values<1>(error, shared))
#pragma unroll 1
        for (double const e : error) sum_.template put<1>(e, shared.digits);
    return true;
  }
  // Adds up the upper 27 bits of each value, and the rests; false where they are too far apart or
  // too large, or not finite.
  template <int Component, int size>
  __device__ bool add_values(double const (&x)[size], shared_type& shared) {
    unsigned largest = 0, smallest = ~0u;
    double high_sum[2] = {}, low_sum[2] = {};
    TALLY_CLAIM(begin());
#pragma unroll
    for (int k = 0; k < size; ++k) {
      std::uint64_t const magnitude = to_bits(x[k]) & ~format<double>::sign;
      largest = max(largest, unsigned(magnitude >> 32));
      smallest = min(smallest, unsigned((magnitude - 1) >> 32));  // a zero becomes large
      double const high = from_bits<double>(to_bits(x[k]) & (~std::uint64_t(0) << 26));
      TALLY_CLAIM(adds("values.high", high_sum[k % 2], high));
      TALLY_CLAIM(adds("values.low", low_sum[k % 2], x[k] - high));
      high_sum[k % 2] += high;
      low_sum[k % 2] += x[k] - high;
    }
    int const top = int(largest >> 20), bottom = max(int(smallest >> 20), 1);
    constexpr int room = 64;  // for as many additions as there may be
    bool const fits =
        top + room < format<double>::max_field && log2_of(size) + (top + 1 - bottom) + 26 <= 53;
    TALLY_CLAIM(adds("values.high", high_sum[0], high_sum[1]));
    TALLY_CLAIM(adds("values.low", low_sum[0], low_sum[1]));
    TALLY_CLAIM(settle(fits));
    if (!fits) return false;
    sum_.template put<Component>(high_sum[0] + high_sum[1], shared.digits);
    sum_.template put<Component + 1>(low_sum[0] + low_sum[1], shared.digits);
    return true;
  }

  // Adds products one by one, for a few lanes with a product or two that are small beside the
  // others: the rest of the warp, and of the GPU, waits less if the sum takes them as it takes
  // others.
  template <class Batch>
  __device__ void add_singly(Batch const& x, shared_type& shared) {
    Batch const copy = x;  // in memory, for a loop
#pragma unroll 1
    for (int k = 0; k < Batch::size; ++k) {
      double const a = as_double(copy[k].first), b = as_double(copy[k].second);
      double const product = fma(a, b, -0.0);
      if (!is_finite(product) || (is_double && !has_error(a, b, product))) {
        add_one(copy[k], shared);
        continue;
      }
      sum_.put(product, shared.digits);
      if constexpr (is_double) sum_.template put<1>(fma(a, b, -product), shared.digits);
    }
  }
  // Adds products that have little in common, after apart_.reserve, as single_adder does it.
  template <class Batch>
  __device__ void add_apart(Batch const& x, shared_type& shared) {
    finite_check<T> check;
#pragma unroll
    for (int k = 0; k < Batch::size; ++k) {
      zipped<T, T> const both = x[k];
      auto const p = place(both.first), q = place(both.second);
      auto const product = product_of(p.significand, q.significand);
      bool const negative = (to_bits(both.first) ^ to_bits(both.second)) & f::sign;
      apart_.template add<2 * f::precision>(negative ? -product : product, p.position + q.position);
      check.look_at(both.first);
      check.look_at(both.second);
    }
    if (check.all_finite()) return;
    array_of<zipped<T, T>, Batch> const copy(x);
#pragma unroll 1
    for (auto const& both : copy.value)
      if (!is_finite(both.first) || !is_finite(both.second)) add_one(both, shared);
  }
};

}  // namespace tally::device
