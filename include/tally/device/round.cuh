// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/rounding.hpp"
#include "tally/warp/shuffle.cuh"

namespace tally::device {

// The digits of a fixed_point in shared memory, from the first to the last that is not zero: to be
// rounded by one thread in a few steps, however wide the number is.
class digit_run {
 public:
  // By a whole warp; the rest by its first lane. No digit is not zero: begin() == end().
  __device__ digit_run(unsigned long long* digit, int count) : digit_(digit), low_(count), high_(-1) {
    for (int base = 0; base < count; base += warp_size) {
      int const i = base + warp::lane();
      unsigned const there = __ballot_sync(~0u, i < count && digit[i] != 0);
      if (there == 0) continue;
      if (high_ < 0) low_ = base + __ffs(int(there)) - 1;
      high_ = base + 31 - __clz(int(there));
    }
    __syncwarp();  // round() writes what other lanes have read
  }

  // The value times 2^-lsb, rounded once; a value of zero is +0.
  template <floating R>
  __device__ R round(int lsb) {
    bool const negative = carry();
    int top = high_ + 2;
    while (top >= low_ && limb(top) == 0) --top;
    if (top < low_) return R{};
    std::uint64_t const upper = std::uint64_t(limb(top)) << 32 | limb(top - 1), lower = limb(top - 2);
    int const shift = leading_zeros(upper);
    bool sticky = (lower << shift & 0xffffffff) != 0;
    for (int i = low_; i < top - 2 && !sticky; ++i) sticky = limb(i) != 0;
    return round_to<R>(negative, upper << shift | (lower << shift >> 32), 32 * top + 31 - shift + lsb,
                       sticky);
  }

 private:
  unsigned long long* digit_;
  int low_, high_;
  std::int64_t over_ = 0;  // what comes after the digit at high_

  __device__ std::uint32_t limb(int i) const {
    if (i > high_) return std::uint32_t(i == high_ + 1 ? over_ : over_ >> 32);
    return i < low_ ? 0 : std::uint32_t(digit_[i]);
  }

  // Makes the digits those of the absolute value, each below 2^32. Whether the value is negative.
  __device__ bool carry() {
    for (int i = low_; i <= high_; ++i) {
      std::int64_t const t = std::int64_t(digit_[i]) + over_;
      digit_[i] = std::uint32_t(t);
      over_ = t >> 32;
    }
    if (over_ >= 0) return false;
    std::uint64_t one = 1;
    for (int i = low_; i <= high_; ++i) {
      std::uint64_t const t = std::uint64_t(~std::uint32_t(digit_[i])) + one;
      digit_[i] = std::uint32_t(t);
      one = t >> 32;
    }
    over_ = ~over_ + std::int64_t(one);
    return true;
  }
};

}  // namespace tally::device
