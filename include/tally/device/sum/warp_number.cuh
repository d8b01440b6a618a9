// SPDX-License-Identifier: Apache-2.0
//
// A long fixed-point number over the lanes of a warp, where two doubles do not hold a sum. All
// lanes call these functions together.
#pragma once

#include "tally/cuda/instructions.cuh"
#include "tally/device/input/batch.cuh"
#include "tally/device/sum/interval.cuh"
#include "tally/exact/fixed_point.hpp"
#include "tally/warp/reduce.cuh"

namespace tally::device {

// x * 2^e, where that is a double.
__device__ inline double scaled(double x, int e) {
  auto const power = [](int i) { return from_bits<double>(std::uint64_t(1023 + i) << 52); };
  int const half = e / 2;
  return x * power(half) * power(e - half);
}

// The sum of digit * 2^(32 i + lsb) over the digits of a `Number`, of which a lane has every 32nd.
// They have signs, and room for some 2^30 additions.
template <class Number>
struct warp_number {
  static constexpr int digits = Number::digits, lsb = Number::lsb;
  static constexpr int each = (digits + warp_size - 1) / warp_size;
  std::int64_t mine[each];

  static __device__ int lane() { return int(threadIdx.x % warp_size); }
  static __device__ int index(int j) { return lane() + j * warp_size; }

  // Adds what digit(i) is for each i.
  template <class Digit>
  __device__ void add_digits(Digit digit) {
#pragma unroll
    for (int j = 0; j < each; ++j)
      if (index(j) < digits) mine[j] += digit(index(j));
  }
  // Calls each(i, digit) for each, in the lane that has it.
  template <class Each>
  __device__ void each_digit(Each each_of) const {
#pragma unroll
    for (int j = 0; j < each; ++j)
      if (index(j) < digits) each_of(index(j), mine[j]);
  }
  // The digit, of which lanes may ask for different ones.
  __device__ std::int64_t digit(int i) const {
    std::int64_t out = 0;
#pragma unroll
    for (int j = 0; j < each; ++j)
      if (auto const x = warp::broadcast(mine[j], i % warp_size); i / warp_size == j) out = x;
    return out;
  }
  // Adds a finite double that is the same in all lanes.
  __device__ void add(double x) {
    auto const p = take_apart(x);
    int const position = max(p.exponent - lsb, 0), at = position / 32, shift = position % 32;
    std::uint64_t const significand =  // zeros are all that is cut off
        p.significand >> min(max(lsb - p.exponent, 0), 63);
    std::uint64_t const low = significand << shift;
    std::uint64_t const high = shift ? significand >> (64 - shift) : 0;
    add_digits([&](int i) {
      auto const digit = std::int64_t(i == at       ? low & 0xffffffff
                                      : i == at + 1 ? low >> 32
                                      : i == at + 2 ? high
                                                    : 0);
      return p.negative ? -digit : digit;
    });
  }
  __device__ void add(long_interval const& exact) { add(exact.head), add(exact.least); }

  // Whether the lane's digits are of 32 bits: after some turns of carry() all are but the last one,
  // which is if the sum is that much smaller than the largest Number.
  __device__ bool is_narrow() const {
    bool narrow = true;
#pragma unroll
    for (int j = 0; j < each; ++j) narrow = narrow && mine[j] == int(mine[j]);
    return narrow;
  }

  // Leaves digits of less than 2^31 + 2^30 in magnitude, but for the last one.
  __device__ void carry() {
    std::int64_t from_last = 0;  // what the last lane's digit before carries
#pragma unroll
    for (int j = 0; j < each; ++j) {
      bool const moves = index(j) < digits - 1;
      std::int64_t const over = moves ? (mine[j] + (std::int64_t(1) << 31)) >> 32 : 0;
      std::int64_t const below = warp::shift_up(over);
      mine[j] += (lane() == 0 ? from_last : below) - (over << 32);
      from_last = warp::broadcast(over, warp_size - 1);
    }
  }

  // Two doubles and what is not known, of a number that has been carried.
  __device__ long_interval bounds() const {
    int top = -1;
    bool below = false;
#pragma unroll
    for (int j = each - 1; j >= 0; --j) {
      unsigned const there = __ballot_sync(~0u, mine[j] != 0);
      if (top < 0 && there != 0) top = j * warp_size + 31 - __clz(int(there));
    }
    long_interval out{};
#pragma unroll 1
    for (int i = top; i >= 0 && i > top - shown; --i)
      out = out + long_interval{scaled(double(digit(i)), lsb + 32 * i), 0, 0};
    int const end = max(top - shown + 1, 0);
#pragma unroll
    for (int j = 0; j < each; ++j) below |= index(j) < end && mine[j] != 0;
    if (__any_sync(~0u, below)) {  // less than one of what was added last
      double const unit = scaled(1, lsb + 32 * end);
      out.least = __dadd_rd(out.least, -unit), out.most = __dadd_ru(out.most, unit);
    }
    return out.normalised();
  }

  // All of it in every lane.
  __device__ Number whole() const {
    Number out{};
    TALLY_ROLL
    for (int i = 0; i < digits; ++i) out.digit[i] = digit(i);
    out.carry();
    return out;
  }

 private:
  static constexpr int shown = 5;  // digits
};

// The digits of a sum of some finite elements narrower than doubles, as a thread has them in
// registers.
template <class Number, floating T>
  requires(sizeof(T) < sizeof(double))
struct thread_digits {
  using f = format<T>;
  static constexpr int first = (f::lowest - Number::lsb) / 32;
  static constexpr int last = (f::bias - f::precision + 1 - Number::lsb) / 32;
  static constexpr int most = 1 << (32 - f::precision);  // elements, in 63 bits and a sign
  std::int64_t digit[last - first + 2] = {};

  __device__ void add(T x) {
    auto const bits = to_bits(x);
    unsigned const field = bits >> (f::precision - 1) & f::max_field, normal = min(field, 1u);
    unsigned const position = field - normal + unsigned(f::lowest - Number::lsb);
    unsigned const odd = position % 2;  // so that 31 bits and a sign hold the power of 2
    int const magnitude = int((bits & f::fraction) + (normal << (f::precision - 1))) << odd;
    int const value = bits & f::sign ? -magnitude : magnitude;
#pragma unroll
    for (int i = first; i <= last; ++i)
      digit[i - first] += std::int64_t(value) * int(power_or_zero(position - odd - 32 * i));
  }
  // Leaves room for as many further ones, or for those of other lanes.
  __device__ void carry() {
#pragma unroll
    for (int i = 0; i <= last - first; ++i) {
      digit[i + 1] += digit[i] >> 32;
      digit[i] &= 0xffffffff;
    }
  }
  // Calls visit(i, digit) for each that may not be zero.
  template <class Visit>
  __device__ void each(Visit visit) const {
#pragma unroll
    for (int i = first; i <= last + 1; ++i) visit(i, digit[i - first]);
  }
};

// Stores the digits of the sum of a warp's finite elements: for a lane's, at most `Count`, each(f)
// calls f(element). Those narrower than doubles are added up by each lane, in registers. (Loops are
// short: where this is called, most of the time is taken by waiting for instructions.)
template <class Number, floating T, int Count, class Each>
  requires(sizeof(T) < sizeof(double))
__device__ void sum_digits_of(Each each, std::int64_t (&to)[Number::digits]) {
  using digits = thread_digits<Number, T>;
  static_assert(Count <= digits::most);
  digits mine;
  each([&](T x) { mine.add(x); });
  mine.carry();
  int const lane = int(threadIdx.x % warp_size);
  for (int i = lane; i < Number::digits; i += warp_size)
    if (i < digits::first || i > digits::last + 1) to[i] = 0;
  mine.each([&](int i, std::int64_t digit) {
    std::int64_t const sum = warp::reduce(digit, plus{});
    if (lane == i % warp_size) to[i] = sum;
  });
  __syncwarp();
}
// Doubles by atomics, in halves of digits: those of the elements that a sum of them may have.
template <class Number, floating T, int Count, class Each>
  requires(sizeof(T) == sizeof(double))
__device__ void sum_digits_of(Each each, std::int64_t (&to)[Number::digits]) {
  static_assert(Count <= 1 << 10);  // in 31 bits and a sign
  int const lane = int(threadIdx.x % warp_size);
  auto* const half = reinterpret_cast<int*>(&to);
  for (int i = lane; i < Number::digits; i += warp_size) half[2 * i] = half[2 * i + 1] = 0;
  __syncwarp();
  each([&](double x) {
    auto const p = take_apart(x);
    int const position = max(p.exponent - Number::lsb, 0), at = position / 16,
              shift = position % 16;
    std::uint64_t const significand =  // zeros are all that is cut off
        p.significand >> min(max(Number::lsb - p.exponent, 0), 63);
    std::uint64_t const low = significand << shift;
    std::uint64_t const high = shift ? significand >> (64 - shift) : 0;
#pragma unroll
    for (int i = 0; i < 5; ++i) {
      int const piece = i < 4 ? int(low >> (16 * i) & 0xffff) : int(high);
      if (piece != 0) atomicAdd(half + at + i, p.negative ? -piece : piece);
    }
  });
  __syncwarp();
  for (int i = lane; i < Number::digits; i += warp_size)
    to[i] = half[2 * i] + (std::int64_t(half[2 * i + 1]) << 16);
  __syncwarp();
}

}  // namespace tally::device
