// SPDX-License-Identifier: Apache-2.0
#include "tally/device/sum/block_superaccumulator.cuh"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"
#include "tally/exact/exact_state.hpp"

namespace {

using namespace tally;
using number = detail::fixed_point<3, 0>;
using digits_type = device::block_superaccumulator<number>;

constexpr int beyond = 4;  // integers behind the digits, which nobody may change

__global__ void add_pieces(std::int64_t x, int at, std::int64_t* out) {
  __shared__ struct {
    digits_type digits;
    int behind[beyond];
  } s;
  s.digits.clear();
  if (threadIdx.x < beyond) s.behind[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x < digits_type::pieces) s.digits.add_piece(at, x, int(threadIdx.x));
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int i = 0; i < number::digits; ++i) out[i] = s.digits.digit(i);
  for (int i = 0; i < beyond; ++i) out[number::digits + i] = s.behind[i];
}

TEST(block_superaccumulator, keeps_an_integer_of_either_sign_at_every_place) {
  for (std::int64_t const x :
       {std::int64_t(5), std::int64_t(-5), std::int64_t(-1) << 29, (std::int64_t(1) << 30) + 12345})
    for (int at = 0; at <= 4; ++at) {
      device_array<std::int64_t> out(number::digits + beyond);
      launch(add_pieces, 1, 32)(x, at, out.data());
      auto const got = out.to_host();
      __int128 value = 0;
      for (int i = number::digits; i-- > 0;) value = (value << 32) + got[i];
      EXPECT_TRUE(value == __int128(x) << 16 * at) << x << " at " << at;
      for (int i = 0; i < beyond; ++i) EXPECT_EQ(got[number::digits + i], 0);
    }
}

template <class Number>
__global__ void add_lanes(double const* x, std::int64_t* out) {
  __shared__ device::block_superaccumulator<Number> digits;
  digits.clear();
  __syncthreads();
  double const mine[] = {x[threadIdx.x]};
  digits.add_warp(mine);
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int i = 0; i < Number::digits; ++i) out[i] = digits.digit(i);
}

// Takes from the exact sum of the lanes' values what the device made of them: nothing is left.
template <class Number>
void expect_sum_of_lanes(char const* what, std::vector<double> const& x) {
  device_array<double> in(x);
  device_array<std::int64_t> out(Number::digits);
  launch(add_lanes<Number>, 1, 32)(in.data(), out.data());
  detail::fixed_point<Number::digits + 2, Number::lsb> left;  // add() reaches two digits farther
  for (double const value : x) left.add(value);
  auto const got = out.to_host();
  for (int i = 0; i < Number::digits; ++i) {
    bool const negative = got[i] < 0;
    left.add(!negative, std::uint64_t(negative ? -got[i] : got[i]), 32 * i + Number::lsb);
  }
  bool negative;
  EXPECT_EQ(left.magnitude(negative).bit_length(), 0) << what;
}

std::vector<double> lanes(double (*value)(int)) {
  std::vector<double> out(32);
  for (int lane = 0; lane < 32; ++lane) out[lane] = value(lane);
  return out;
}
double odd(int exponent) { return std::ldexp(9007199254740991.0, exponent - 52); }  // 53 ones

template <class Number>
void expect_sums_of_lanes() {
  auto const expect = [](char const* what, double (*value)(int)) {
    expect_sum_of_lanes<Number>(what, lanes(value));
  };
  expect("zeros", [](int) { return 0.0; });
  expect("negative zeros", [](int) { return -0.0; });
  expect("small integers", [](int i) { return double(i) - 7; });
  expect("of which nothing is left", [](int i) { return i % 2 ? 3.25 : -3.25; });
  expect("the most that lanes can have", [](int) { return odd(10); });
  expect("the same, negative", [](int) { return -odd(10); });
  expect("58 bits", [](int i) { return i == 3 ? odd(0) : odd(-5); });
  expect("59 bits", [](int i) { return i == 3 ? odd(0) : odd(-6); });
  expect("77 bits", [](int i) { return i == 3 ? odd(0) : -odd(-25); });
  expect("78 bits and more", [](int i) { return i == 3 ? odd(0) : odd(-24 - i % 4); });
  expect("one small one", [](int i) { return i == 31 ? 0x1p-90 : odd(-i); });
  expect("the smallest ones", [](int i) { return std::ldexp(i - 11, Number::lsb); });
  expect("far from 1", [](int i) { return std::ldexp(i - 11, Number::lsb + 40); });
}

TEST(block_superaccumulator, adds_up_the_lanes_of_a_warp) {
  expect_sums_of_lanes<detail::sum_digits<float>>();
  expect_sums_of_lanes<detail::sum_digits<double>>();
}

TEST(block_superaccumulator, adds_up_lanes_as_far_apart_as_can_be) {
  using wide = detail::sum_digits<double>;
  expect_sum_of_lanes<wide>("1 and tiny", lanes([](int i) { return i ? 0x1p-1074 : 1.0; }));
  expect_sum_of_lanes<wide>("huge and tiny", lanes([](int i) { return i ? 0x1p-1074 : 0x1p900; }));
  expect_sum_of_lanes<wide>("huge", lanes([](int i) { return i % 3 ? odd(900) : -odd(899); }));
}

// Half the lanes at 1 with all their bits, of one sign or both, and one of them so far below: all
// three columns are full.
TEST(block_superaccumulator, adds_up_full_lanes_and_one_below_at_every_depth) {
  using wide = detail::sum_digits<double>;
  for (int depth = 0; depth <= 64; ++depth)
    for (double sign : {1.0, -1.0}) {
      std::vector<double> x(32, sign * odd(0));
      x[7] = odd(-depth);
      x[9] = depth % 2 ? -odd(-depth) : std::ldexp(1.0, -depth);
      expect_sum_of_lanes<wide>("full lanes", x);
      for (double& e : x) e = std::ldexp(e, depth);  // at every place of a digit
      expect_sum_of_lanes<wide>("full lanes, higher", x);
    }
}

// Near the end of all digits, where a unit is no normal double.
TEST(block_superaccumulator, adds_up_lanes_at_the_end_of_its_digits) {
  using wide = detail::sum_digits<double>;
  using squares = detail::square_digits<double>;
  for (int top = -1074; top <= -940; ++top) {
    std::vector<double> x(32);
    for (int lane = 0; lane < 32; ++lane)
      x[lane] = std::ldexp(lane % 5 == 4 ? -1 : 1 + lane / 32.0, std::max(top - lane % 3, -1074));
    expect_sum_of_lanes<wide>("the last digits", x);
    if (top % 8 == 0) expect_sum_of_lanes<squares>("not the last digits", x);
  }
}

template <class Number>
__global__ void add_again(double x, int times, std::int64_t* out) {
  __shared__ device::block_superaccumulator<Number> digits;
  digits.clear();
  __syncthreads();
  for (int i = 0; i < times; ++i) digits.add(x);
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int i = 0; i < Number::digits; ++i) out[i] = digits.digit(i);
}

// Of a double, whose last bits are zeros there, what is above the last digit's first bit.
TEST(block_superaccumulator, keeps_what_a_double_has_at_its_end) {
  using number = detail::sum_digits<float>;
  for (int lowest = number::lsb; lowest < number::lsb + 60; ++lowest)
    for (int bits : {1, 2, 17, 24, 53}) {
      double const x = std::ldexp(std::ldexp(1.0, bits) - 1, lowest);
      device_array<std::int64_t> out(number::digits);
      launch(add_again<number>, 1, 1)(lowest % 2 ? -x : x, 1, out.data());
      number want, got;
      want.add(lowest % 2 ? -x : x);
      auto const digit = out.to_host();
      std::copy(digit.begin(), digit.end(), got.digit);
      got.carry();
      want.carry();
      for (int i = 0; i < number::digits; ++i) EXPECT_EQ(got.digit[i], want.digit[i]) << x;
    }
}

// 2^16 times what fills a digit, so that without care it would be beyond its 32 bits.
TEST(block_superaccumulator, empties_a_large_digit_into_the_next_one) {
  using wide = detail::sum_digits<float>;
  constexpr int threads = 64, times = 1100;
  for (double const x : {odd(40), -odd(40), odd(-96)}) {
    device_array<std::int64_t> out(wide::digits);
    launch(add_again<wide>, 1, threads)(x, times, out.data());
    wide got, want;
    auto const digit = out.to_host();
    std::copy(digit.begin(), digit.end(), got.digit);
    for (int i = 0; i < threads * times; ++i) want.add(x);
    got.carry();
    want.carry();
    for (int i = 0; i < wide::digits; ++i) EXPECT_EQ(got.digit[i], want.digit[i]) << i;
  }
}

}  // namespace
