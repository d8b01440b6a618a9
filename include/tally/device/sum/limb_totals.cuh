// SPDX-License-Identifier: Apache-2.0
//
// The exact sum of a warp's elements as a few limbs (limbs.cuh), or where they lie too far apart,
// as digits.
#pragma once

#include "tally/device/sum/carried_sum.cuh"
#include "tally/device/sum/exact.cuh"
#include "tally/device/sum/limbs.cuh"
#include "tally/device/sum/significands.cuh"

namespace tally::device {

template <floating In, class Number>
struct limb_totals {
  static constexpr bool is_double = std::is_same_v<In, double>;
  static constexpr int lsb = Number::lsb;

  // Limbs of so many bits, from the largest element down, so that the sum of a warp's is exact.
  static constexpr int limb_bits = 41, log2_elements = 12;
  static constexpr int most_limbs = is_double ? 3 : 7;
  struct no_digits {};
  using digits = std::conditional_t<is_double, block_superaccumulator<Number>, no_digits>;
  struct total {
    double limb[most_limbs];
    int limbs;        // none: all digits
    int top, bottom;  // all elements are below 2^top, and multiples of 2^bottom
    unsigned seen;
    digits all;
  };

  // Where a warp's elements lie: below 2^top, and multiples of 2^bottom.
  struct element_range {
    int top, bottom;
    // How many limbs hold them all, at least one.
    __device__ int limbs() const {
      if (is_double && top > grid_of_multiples::highest) return most_limbs + 1;
      return max((top - bottom + limb_bits - 1) / limb_bits, 1);
    }
  };
  // Puts zeros in the place of elements that are not finite; `seen` says of these.
  template <class Items>
  static __device__ element_range range_of(Items& x, unsigned& seen) {
    using as = detail::seen_as<In>;
    for (;;) {
      unsigned largest = 0, smallest = ~0u;
#pragma unroll
      for (int k = 0; k < Items::size; ++k) {
        if constexpr (is_double) {
          std::uint64_t const magnitude = to_bits(x[k]) & ~format<double>::sign;
          largest = max(largest, unsigned(magnitude >> 32));
          smallest = min(smallest, unsigned((magnitude - 1) >> 32));  // a zero becomes large
        } else {
          unsigned const magnitude = to_bits(as_float(x[k])) & 0x7fffffff;
          largest = max(largest, magnitude);
          smallest = min(smallest, magnitude - 1);
        }
      }
      constexpr int fraction = is_double ? 20 : 23, bias = is_double ? 1022 : 126;
      int const top = int(__reduce_max_sync(~0u, largest) >> fraction);
      int const bottom = int(__reduce_min_sync(~0u, smallest) >> fraction);
      if (top < as::not_finite)
        return {max(top - bias, lsb), max(bottom, as::min_normal) - bias - as::precision};
      seen = __reduce_or_sync(~0u, put_zeros_for_specials(x));
    }
  }
  // Returns which there were.
  template <class Items>
  static __device__ unsigned put_zeros_for_specials(Items& x) {
    unsigned found = 0;
#pragma unroll
    for (int k = 0; k < Items::size; ++k) {
      found |= special_values::of(x[k]);
      if (!is_finite(x[k])) x.set(k, In{});
    }
    return found;
  }

  static __device__ int unit_of(int top, int l) { return max(top - (l + 1) * limb_bits, lsb); }
  // Cuts a lane's elements, and adds up each limb of them.
  template <class Items>
  static __device__ __noinline__ void cut(Items const& x, int top, int limbs,
                                          double (&sum)[most_limbs]) {
    if (is_double && top > grid_of_multiples::highest) return;
#pragma unroll
    for (int k = 0; k < Items::size; ++k) {
      double rest = as_double(x[k]);
#pragma unroll
      for (int l = 0; l < most_limbs; ++l) {
        if (l >= limbs) break;
        double const near = grid_of_multiples(unit_of(top, l)).nearest(rest);
        sum[l] += near;
        rest -= near;
      }
    }
  }
  template <class Items>
  static __device__ __noinline__ void add_digits(Items const& x,
                                                 block_superaccumulator<Number>& to) {
    carried_sum<Number>::clear(to);
    __syncwarp();
    array_of<In, Items> const copy(x);
#pragma unroll 1
    for (In const value : copy.value) {
      auto const p = take_apart(value);
      if (p.significand != 0) to.add(p.negative, p.significand, p.exponent);
    }
  }
};

}  // namespace tally::device
