// SPDX-License-Identifier: Apache-2.0
//
// A running sum in two doubles that is exact, or known to lie between two values; and what it is,
// rounded once.
#pragma once

#include "tally/device/sum/limbs.cuh"
#include "tally/device/sum/significands.cuh"
#include "tally/exact/float_format.hpp"

namespace tally::device {

// x rounded once.
template <floating To>
__device__ To rounded(double x) {
  if constexpr (std::is_same_v<To, double>) {
    return x;
  } else if constexpr (std::is_same_v<To, float>) {
    return __double2float_rn(x);
  } else {
    // To odd first, so that what is cut off leaves its trace (S. Boldo and G. Melquiond, "Emulation
    // of FMA and correctly rounded sums: proved algorithms using rounding to odd", IEEE
    // Transactions on Computers 57, 2008).
    float const towards_zero = __double2float_rz(x);
    bool const rest = double(towards_zero) != x;
    auto const odd = to_bits(towards_zero) | std::uint32_t(rest);
    if constexpr (std::is_same_v<To, bfloat16>)
      return from_bits<bfloat16>(std::uint16_t((odd + 0x7fff + (odd >> 16 & 1)) >> 16));
    else
      return convert<float16>(from_bits<float>(odd));
  }
}

// What is to be known of a sum before some values, on the grid of the results: it is
// high + low, or more by less than 2^unit if there is a `rest`.
struct started_sum {
  double high, low;
  int high_unit, unit;
  bool rest;
};

// Two limbs, of which each is a sum of multiples without a rounding.
template <floating Out>
class rounded_sum {
 public:
  static constexpr int bits = 50, low_bits = 46;  // of a limb
  __device__ explicit rounded_sum(started_sum const& s)
      : grid_(s.high_unit),
        low_grid_(s.unit),
        high_(s.high),
        low_(s.low),
        one_(scaled(1, s.unit)),
        unknown_(s.rest ? one_ : 0) {}

  __device__ bool is_exact() const { return unknown_ == 0; }
  // A multiple of 2^unit.
  __device__ void add_multiple(double x) {
    double const near = grid_.nearest(x);
    high_ += near;
    low_ += x - near;
  }
  __device__ void add(double x) {
    double const near = grid_.nearest(x), left = x - near, below = low_grid_.below(left);
    if (below != left) unknown_ += one_;
    high_ += near;
    low_ += below;
  }
  // Nothing, or less than 2^unit, up or down.
  __device__ void blur() { low_ -= one_, unknown_ += 2 * one_; }
  // The sum, rounded once, is one of these or lies between them.
  __device__ Out least() const {
    if constexpr (std::is_same_v<Out, double>)
      return high_ + low_;
    else
      return rounded<Out>(__dadd_rd(high_, low_));
  }
  __device__ Out most() const {
    if constexpr (std::is_same_v<Out, double>)
      return high_ + (low_ + unknown_);
    else
      return rounded<Out>(__dadd_ru(high_, __dadd_ru(low_, unknown_)));
  }
  // The same for a sum that is exact.
  __device__ Out most_if_exact() const {
    if constexpr (std::is_same_v<Out, double>)
      return least();
    else
      return rounded<Out>(__dadd_ru(high_, low_));
  }

 private:
  grid_of_multiples grid_, low_grid_;
  double high_, low_, one_, unknown_;
};

}  // namespace tally::device
