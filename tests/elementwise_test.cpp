// SPDX-License-Identifier: Apache-2.0
#include "tally/elementwise.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tally/exact/float_format.hpp"

namespace {

using namespace tally;

// Numbers on both sides of what every type holds, and between.
std::vector<double> numbers() {
  std::vector<double> all = {0.0,   -0.0,     0.5,       -0.5, 1.5,   -1.5,    2.5,    1e30,
                             -1e30, INFINITY, -INFINITY, NAN,  1e-40, 65519.0, 65520.0};
  for (int const bits : {7, 8, 11, 15, 16, 24, 31, 32, 53, 63, 64})
    for (double const more : {-1.0, 0.0, 1.0})
      for (double const sign : {1.0, -1.0}) all.push_back(sign * (std::ldexp(1.0, bits) + more));
  return all;
}
std::vector<std::int64_t> integers() {
  std::vector<std::int64_t> all = {0, 1, -1, (1ll << 60) + (1ll << 36) + 1, INT64_MAX, INT64_MIN};
  for (int bits = 0; bits < 63; ++bits)
    for (int const more : {-1, 0, 1}) all.push_back((std::int64_t(1) << bits) + more);
  return all;
}

template <class To, class From>
std::vector<To> copied(std::vector<From> const& in) {
  std::vector<To> out(in.size());
  std::vector<std::uint64_t> const shape = {in.size()};
  copy_into(cpu{}, {dtype_of<From>, in.data(), shape}, {dtype_of<To>, out.data(), shape});
  return out;
}

// Rounded by the machine, which converts doubles to floats and integers to either.
TEST(elementwise, converts_to_floating_point_as_the_machine_does) {
  auto const x = numbers();
  auto const floats = copied<float>(x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    auto const want = std::isnan(x[i]) ? quiet_nan<float>() : float(x[i]);
    EXPECT_EQ(to_bits(floats[i]), to_bits(want)) << x[i];
  }
  auto const n = integers();
  auto const doubles = copied<double>(n);
  auto const singles = copied<float>(n);
  for (std::size_t i = 0; i < n.size(); ++i) {
    EXPECT_EQ(doubles[i], double(n[i]));
    EXPECT_EQ(singles[i], float(n[i]));
  }
}

TEST(elementwise, converts_integers_modulo_two_to_the_bits) {
  auto const n = integers();
  auto const bytes = copied<std::uint8_t>(n);
  auto const shorts = copied<std::int16_t>(n);
  bool truths[256] = {};
  ASSERT_LE(n.size(), std::size(truths));
  copy_into(cpu{}, {dtype::int64, n.data(), {n.size()}}, {dtype::boolean, truths, {n.size()}});
  for (std::size_t i = 0; i < n.size(); ++i) {
    EXPECT_EQ(bytes[i], std::uint8_t(n[i] & 255));
    EXPECT_EQ(std::uint16_t(shorts[i]), std::uint16_t(n[i] & 65535));
    EXPECT_EQ(truths[i], n[i] != 0);
  }
}

template <class T>
void expect_truncated() {
  auto const x = numbers();
  auto const found = copied<T>(x);
  constexpr T lowest = std::numeric_limits<T>::lowest(), highest = std::numeric_limits<T>::max();
  for (std::size_t i = 0; i < x.size(); ++i) {
    // In long double every integer of 64 bits is exact.
    long double const whole = std::trunc((long double)x[i]);
    T const want = std::isnan(x[i])                                                   ? T(0)
                   : whole<(long double)lowest ? lowest : whole>(long double) highest ? highest
                                                                                      : T(whole);
    EXPECT_EQ(found[i], want) << x[i];
  }
}
TEST(elementwise, converts_numbers_toward_zero_to_the_nearest_integer_there_is) {
  expect_truncated<std::int8_t>();
  expect_truncated<std::uint8_t>();
  expect_truncated<std::int16_t>();
  expect_truncated<std::uint32_t>();
  expect_truncated<std::int64_t>();
  expect_truncated<std::uint64_t>();
}

// A view of three dimensions, turned around and back to front, as an array in C order.
TEST(elementwise, copies_by_any_strides) {
  std::vector<std::int32_t> in(2 * 3 * 5);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = std::int32_t(i);
  std::vector<double> out(in.size());
  any_ndarray const view(dtype::int32, in.data() + 14, {5, 2, 3}, {-1, 15, -5});
  copy_into(cpu{}, view, {dtype::float64, out.data(), {5, 2, 3}});
  for (std::size_t i = 0, a = 0; a < 5; ++a)
    for (std::size_t b = 0; b < 2; ++b)
      for (std::size_t c = 0; c < 3; ++c, ++i)
        EXPECT_EQ(out[i], 14.0 - double(a) + 15.0 * double(b) - 5.0 * double(c));
}

TEST(elementwise, fills_and_adds) {
  std::vector<std::int8_t> in = {100, 1, 2, 3}, out(8, 9);
  any_ndarray_output const every_other(dtype::int8, out.data(), {4}, {2});
  fill(cpu{}, any_number(std::int8_t(100)), every_other);
  add_into(cpu{}, {dtype::int8, in.data(), {4}}, every_other);
  EXPECT_EQ(out, (std::vector<std::int8_t>{-56, 9, 101, 9, 102, 9, 103, 9}));

  std::vector<bfloat16> ones(3, bfloat16(1.0)), small(3, bfloat16(0x1p-8));
  small[1] = bfloat16(0x1.02p-8), small[2] = bfloat16(0x3p-8);
  add_into(cpu{}, {dtype::bfloat16, small.data(), {3}}, {dtype::bfloat16, ones.data(), {3}});
  EXPECT_EQ(double(ones[0]), 1.0);  // a tie, to even
  EXPECT_EQ(double(ones[1]), 1.0 + 0x1p-7);
  EXPECT_EQ(double(ones[2]), 1.0 + 0x1p-6);
}

TEST(elementwise, takes_along_an_axis_what_has_an_index) {
  std::vector<float> const in = {0, 1, 2, 10, 11, 12};
  std::vector<std::int64_t> const indices = {2, 0, 1, -1};
  std::vector<float> out(4, -7);
  take_along(cpu{}, {dtype::float32, in.data(), {2, 3}}, 1, indices.data(),
             {dtype::float32, out.data(), {2, 2}});
  EXPECT_EQ(out, (std::vector<float>{2, 0, 11, -7}));
}

TEST(elementwise, packs_a_mask) {
  bool const mask[11] = {true, false, false, true, false, false, false, true, false, true, true};
  std::uint8_t bits[3] = {99, 99, 99};
  pack_bits(cpu{}, mask, 11, bits);
  EXPECT_EQ(bits[0], 0b10001001);
  EXPECT_EQ(bits[1], 0b110);
  EXPECT_EQ(bits[2], 99);
}

TEST(elementwise, packs_a_mask_with_any_bits_set) {
  unsigned char const mask[3] = {2, 0, 255};
  std::uint8_t bits = 99;
  pack_bits(cpu{}, reinterpret_cast<bool const*>(mask), 3, &bits);
  EXPECT_EQ(bits, 0b101);
}

TEST(elementwise, says_what_is_wrong) {
  std::vector<float> x(6);
  any_ndarray const in(dtype::float32, x.data(), {2, 3});
  EXPECT_THROW(copy_into(cpu{}, in, {dtype::float32, x.data(), {3, 2}}), error);
  EXPECT_THROW(add_into(cpu{}, in, {dtype::float64, x.data(), {2, 3}}), error);
  EXPECT_THROW(fill(cpu{}, any_number(1), {dtype::float32, x.data(), {2, 3}}), error);
  EXPECT_THROW(copy_into(cpu{}, in, {dtype::float32, x.data(), {2, 3}, {0, 1}}), error);
}

// What a mask leaves out is not there, whatever is done with NaNs.
TEST(elementwise, absent_elements_are_no_nans) {
  std::vector<double> x = {1, NAN, 2, 4};
  std::uint8_t bits = 0b1101, with_nan = 0b0111;
  any_ndarray in(dtype::float64, x.data(), {4});
  double mean = 0;
  auto const run = [&](std::uint8_t const& mask) {
    in.valid = {&mask, 0, true};
    reduce_into(cpu{}, in, {0}, {{dtype::float64, &mean, {}}},
                any_aggregate("mean").on(dtype::float64));
  };
  run(bits);
  EXPECT_EQ(mean, 7.0 / 3.0);
  run(with_nan);
  EXPECT_TRUE(std::isnan(mean));
}

}  // namespace
