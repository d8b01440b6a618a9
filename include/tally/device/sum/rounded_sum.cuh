// SPDX-License-Identifier: Apache-2.0
//
// A running sum in one or two doubles that is exact, or known to lie between two values; and what
// it is, rounded once.
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

// Sums whose results have at most 24 bits: a double of 50 bits is enough to tell nearly all of
// them.
template <floating Out>
class rounded_sum {
 public:
  static constexpr int limbs = 1, bits = 50;
  __device__ explicit rounded_sum(started_sum const& s)
      : grid_(s.unit), value_(s.high), one_(scaled(1, s.unit)), unknown_(s.rest ? one_ : 0) {}

  __device__ bool is_exact() const { return unknown_ == 0; }
  // A multiple of 2^unit.
  __device__ void add_multiple(double x) { value_ += x; }
  __device__ void add(double x) {
    double const below = grid_.below(x);
    if (below != x) unknown_ += one_;
    value_ += below;
  }
  // Nothing, or less than 2^unit, up or down.
  __device__ void blur() { value_ -= one_, unknown_ += 2 * one_; }
  __device__ Out least() const { return rounded<Out>(value_); }
  __device__ Out most() const { return rounded<Out>(value_ + unknown_); }

 private:
  grid_of_multiples grid_;
  double value_, one_, unknown_;
};

// Doubles: two limbs, of which each is a sum of multiples without a rounding.
template <>
class rounded_sum<double> {
 public:
  static constexpr int limbs = 2, bits = 50, low_bits = 46;
  __device__ explicit rounded_sum(started_sum const& s)
      : grid_(s.high_unit),
        low_grid_(s.unit),
        high_(s.high),
        low_(s.low),
        one_(scaled(1, s.unit)),
        unknown_(s.rest ? one_ : 0) {}

  __device__ bool is_exact() const { return unknown_ == 0; }
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
  __device__ void blur() { low_ -= one_, unknown_ += 2 * one_; }
  __device__ double least() const { return high_ + low_; }
  __device__ double most() const { return high_ + (low_ + unknown_); }

 private:
  grid_of_multiples grid_, low_grid_;
  double high_, low_, one_, unknown_;
};

}  // namespace tally::device
