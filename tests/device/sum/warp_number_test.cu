// SPDX-License-Identifier: Apache-2.0
#include "tally/device/sum/warp_number.cuh"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

namespace {

using namespace tally;

constexpr int terms = 8;
struct added {
  double x[terms];
};
template <class Number>
struct computed {
  device::long_interval bounds;
  std::int64_t digit[Number::digits];
};

// A warp a sum.
template <class Number>
__global__ void add_up(added const* in, computed<Number>* out) {
  auto const& x = in[blockIdx.x].x;
  device::warp_number<Number> sum{};
  for (int k = 0; k < terms; ++k) {
    sum.add(x[k]);
    if (k % 3 == 2) sum.carry();
  }
  sum.carry();
  auto const bounds = sum.bounds();
  auto const whole = sum.whole();
  if (threadIdx.x != 0) return;
  out[blockIdx.x].bounds = bounds;
  for (int i = 0; i < Number::digits; ++i) out[blockIdx.x].digit[i] = whole.digit[i];
}

template <class Number, class T>
void expect_sums(int spread) {
  std::mt19937_64 random(7);
  std::vector<added> in(60);
  for (auto& a : in)
    for (double& x : a.x) {
      do {
        x = spread > 0 ? std::ldexp(double(std::int64_t(random()) >> 40),
                                    int(random() % unsigned(spread)) - spread / 2)
                       : convert<double>(from_bits<T>(bits_of<T>(random())));
        x = convert<double>(convert<T>(x));
      } while (!is_finite(x));
      if (random() % 6 == 0) x = &x > a.x ? -*(&x - 1) : 0;
    }
  device_array<added> const from(in);
  device_array<computed<Number>> to(in.size());
  launch(add_up<Number>, unsigned(in.size()), warp_size)(from.data(), to.data());
  check(cudaDeviceSynchronize());
  auto const got = to.to_host();
  for (std::size_t i = 0; i < in.size(); ++i) {
    Number sum{};
    for (double const x : in[i].x)
      if (x != 0) sum.add(x);
    sum.carry();
    for (int k = 0; k < Number::digits; ++k) ASSERT_EQ(got[i].digit[k], sum.digit[k]) << i;
    auto const& b = got[i].bounds;
    if (!is_finite(b.head) || !is_finite(b.least)) continue;  // beyond doubles
    for (bool most : {false, true}) {
      detail::sum_digits<double> rest{};
      rest.add(sum);
      rest.add(-b.head), rest.add(most ? -b.most : -b.least);
      bool negative;
      bool const none = rest.magnitude(negative).bit_length() == 0;
      ASSERT_TRUE(none || negative == most) << i;
      ASSERT_TRUE(none || !b.is_exact()) << i;
    }
    ASSERT_LE(b.most - b.least, std::fabs(b.head) * 0x1p-90) << i;
  }
}

TEST(warp_numbers, are_the_sums_and_between_their_bounds) {
  for (int spread : {0, 2, 100, 240}) expect_sums<detail::sum_digits<float>, float>(spread);
  expect_sums<detail::sum_digits<float16>, float16>(0);
  expect_sums<detail::sum_digits<double>, double>(0);
}

template <class Number, class T, int Items>
__global__ void sum_digits(T const* in, computed<Number>* out) {
  __shared__ std::int64_t digit[Number::digits];
  auto const each = [&](auto add) {
    for (int k = 0; k < Items; ++k) add(in[threadIdx.x * Items + k]);
  };
  device::sum_digits_of<Number, T, Items>(each, digit);
  for (int i = int(threadIdx.x); i < Number::digits; i += warp_size) out->digit[i] = digit[i];
}
template <class Number, class T, int Items>
void expect_digits() {
  std::mt19937_64 random(11);
  std::vector<T> in(Items * warp_size);
  Number sum{};
  for (std::size_t i = 0; i < in.size(); ++i) {
    do in[i] = from_bits<T>(bits_of<T>(random()));
    while (!is_finite(in[i]));
    if (i < 3) in[i] = from_bits<T>(bits_of<T>(format<T>::infinity - i));
    if (!is_finite(in[i])) in[i] = T{};
    auto const p = take_apart(in[i]);
    if (p.significand != 0) sum.add(p.negative, p.significand, p.exponent);
  }
  device_array<T> const from(in);
  device_array<computed<Number>> to(1);
  launch(sum_digits<Number, T, Items>, 1, warp_size)(from.data(), to.data());
  check(cudaDeviceSynchronize());
  Number got{};
  auto const found = to.to_host()[0];
  for (int i = 0; i < Number::digits; ++i) got.digit[i] = found.digit[i];
  got.carry(), sum.carry();
  for (int i = 0; i < Number::digits; ++i) ASSERT_EQ(got.digit[i], sum.digit[i]) << i;
}
TEST(warp_numbers, are_made_of_the_elements_of_a_warp) {
  expect_digits<detail::sum_digits<float>, float, 28>();
  expect_digits<detail::sum_digits<double>, float, 14>();
  expect_digits<detail::sum_digits<float>, bfloat16, 56>();
  expect_digits<detail::sum_digits<float16>, float16, 56>();
  expect_digits<detail::sum_digits<double>, float16, 8>();
  expect_digits<detail::sum_digits<double>, double, 14>();
}

}  // namespace
