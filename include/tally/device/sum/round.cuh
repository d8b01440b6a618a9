// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tally/cuda/thread_index.cuh"
#include "tally/exact/double_double.hpp"

namespace tally::device {

// The digits of a fixed_point, from the first to the last that is not zero.
struct digit_run {
  int low, high;  // low > high: all are zero

  // A whole warp makes one.
  template <class Digit>
  __device__ digit_run(Digit digit, int count) : low(count), high(-1) {
    for (int base = 0; base < count; base += warp_size) {
      int const i = base + int(threadIdx.x % warp_size);
      unsigned const there = __ballot_sync(~0u, i < count && digit(i) != 0);
      if (there == 0) continue;
      if (high < 0) low = base + __ffs(int(there)) - 1;
      high = base + 31 - __clz(int(there));
    }
  }
  __device__ int size() const { return high - low + 1; }
};

// Rounds at most 3 digits of less than 2^60 once; the first one counts 2^exponent. 0 is +0.
inline constexpr int few_digits = 3;

template <floating R>
__device__ R round_few(std::int64_t first, std::int64_t second, std::int64_t third, int exponent) {
  TALLY_CLAIM(within("few.digit", first, 0x1p60));
  TALLY_CLAIM(within("few.digit", second, 0x1p60));
  TALLY_CLAIM(within("few.digit", third, 0x1p60));
  __int128 const sum = (__int128(third) << 64) + (__int128(second) << 32) + first;
  auto const magnitude = static_cast<unsigned __int128>(sum < 0 ? -sum : sum);
  auto high = std::uint64_t(magnitude >> 64), low = std::uint64_t(magnitude);
  if (high == 0) high = low, low = 0, exponent -= 64;
  if (high == 0) return R{};
  int const shift = leading_zeros(high);
  high = high << shift | (low >> (63 - shift)) >> 1;
  return round_to<R>(sum < 0, high, exponent + 127 - shift, low << shift != 0);
}

// Rounds any run of digits in shared memory, and spoils them; for one thread.
template <floating R>
__device__ __noinline__ R round_many(unsigned long long* digit, digit_run const& run, int lsb) {
  std::int64_t over = 0;
  for (int i = run.low; i <= run.high; ++i) {
    std::int64_t const t = std::int64_t(digit[i]) + over;
    digit[i] = std::uint32_t(t);
    over = t >> 32;
  }
  bool const negative = over < 0;
  std::uint64_t carry = 1;
  if (negative) {
    for (int i = run.low; i <= run.high; ++i) {
      carry += std::uint32_t(~digit[i]);
      digit[i] = std::uint32_t(carry);
      carry >>= 32;
    }
    over = ~over + std::int64_t(carry);
  }
  auto const limb = [&](int i) {
    if (i > run.high) return std::uint32_t(i == run.high + 1 ? over : over >> 32);
    return i < run.low ? 0 : std::uint32_t(digit[i]);
  };
  int top = run.high + 2;
  while (top >= run.low && limb(top) == 0) --top;
  if (top < run.low) return R{};
  bool sticky = false;
  for (int i = run.low; i < top - 2; ++i) sticky = sticky || limb(i) != 0;
  std::uint64_t const upper = std::uint64_t(limb(top)) << 32 | limb(top - 1);
  int const shift = leading_zeros(upper);
  std::uint64_t const lower = std::uint64_t(limb(top - 2)) << shift;
  return round_to<R>(negative, upper << shift | lower >> 32, 32 * top + lsb + 31 - shift,
                     sticky || std::uint32_t(lower) != 0);
}

}  // namespace tally::device
