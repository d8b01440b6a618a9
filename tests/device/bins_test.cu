// SPDX-License-Identifier: Apache-2.0
#include "tally/device/bins.cuh"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tally/device/shared_digits.cuh"
#include "tally/device_array.cuh"
#include "tally/launch.cuh"

namespace {

using namespace tally;
using sum_number = detail::sum_digits<float>;
using product_number = detail::square_digits<float>;

template <class Bins, class Number, class T>
__global__ void add_all(T const* in, int n, std::int64_t* out) {
  __shared__ device::shared_digits<Number> digits;
  digits.clear();
  __syncthreads();
  Bins bins;
  for (int i = int(threadIdx.x); i < n; i += int(blockDim.x)) {
    bins.reserve(1, digits);
    bins.add(in[i]);
  }
  bins.close(digits);
  __syncthreads();
  for (int i = int(threadIdx.x); i < Number::digits; i += int(blockDim.x)) out[i] = digits.digit(i);
}

template <class Bins, class Number, class T>
void expect_sum(std::vector<T> const& in, int threads) {
  device_array<T> const data(in);
  device_array<std::int64_t> out(Number::digits);
  launch(add_all<Bins, Number, T>, 1, unsigned(threads), threads * Bins::bytes_a_thread)(
      data.data(), int(in.size()), out.data());
  auto const digit = out.to_host();
  Number got, want;
  std::copy(digit.begin(), digit.end(), got.digit);
  for (T const x : in) want.add(double(x));
  got.carry();
  want.carry();
  for (int i = 0; i < Number::digits; ++i) EXPECT_EQ(got.digit[i], want.digit[i]) << "digit " << i;
}

float any_float(std::mt19937_64& random) {
  for (;;)
    if (float const x = from_bits<float>(std::uint32_t(random())); is_finite(x)) return x;
}

TEST(bins_of_floats, hold_their_exact_sum) {
  std::mt19937_64 random(1);
  for (int n : {0, 1, 33, 5000}) {
    std::vector<float> in(n);
    for (float& x : in) x = any_float(random);
    if (n > 1) in[0] = 0x1p-149f, in[1] = -0x1.fffffep127f;
    expect_sum<device::float_bins, sum_number>(in, 64);
  }
}

TEST(bins_of_floats, are_emptied_when_they_are_full) {
  std::mt19937_64 random(2);
  std::vector<float> in(32 * 20'000);
  for (float& x : in) x = any_float(random);
  expect_sum<device::float_bins, sum_number>(in, 32);
  for (float& x : in) x = 0x1.fffffep127f;
  expect_sum<device::float_bins, sum_number>(in, 32);
}

TEST(bins_of_products, hold_their_exact_sum) {
  using product_bins = device::product_bins<24>;
  std::mt19937_64 random(3);
  for (int n : {0, 1, 33, 5000, 32 * 9'000}) {
    std::vector<double> in(n);
    for (double& x : in) x = double(any_float(random)) * double(any_float(random));
    if (n > 2) in[0] = 0x1p-298, in[1] = -0x1.fffffcp255, in[2] = 0;
    expect_sum<product_bins, product_number>(in, 32);
  }
  std::vector<double> largest(32 * 9'000, 0x1.fffffep127 * 0x1.fffffep127);
  expect_sum<product_bins, product_number>(largest, 32);
}

}  // namespace
