// SPDX-License-Identifier: Apache-2.0
#include "tally/exact/float_format.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "support/mpfr_oracle.hpp"

namespace {

using tally::bfloat16;
using tally::convert;
using tally::float16;
using tally::format;
using tally::to_bits;

template <tally::floating To, tally::floating From>
To by_mpfr(From x) {
  if (tally::is_nan(x)) return tally::quiet_nan<To>();
  if (!tally::is_finite(x)) return tally::infinity<To>((to_bits(x) & format<From>::sign) != 0);
  mpfr_oracle::number exact(64), result(format<To>::precision);
  mpfr_oracle::set(exact.value, x);
  int const ternary = mpfr_set(result.value, exact.value, MPFR_RNDN);
  return mpfr_oracle::rounded<To>(result, ternary);
}

template <class T>
class sixteen_bits : public testing::Test {};
using halves = testing::Types<float16, bfloat16>;
TYPED_TEST_SUITE(sixteen_bits, halves);

TYPED_TEST(sixteen_bits, every_value_becomes_the_same_value_and_comes_back) {
  using T = TypeParam;
  for (unsigned b = 0; b < 65536; ++b) {
    T const x = T::from_bits(std::uint16_t(b));
    double const wide = double(x);
    ASSERT_EQ(to_bits(wide), to_bits(by_mpfr<double>(x))) << b;
    ASSERT_EQ(to_bits(convert<float>(x)), to_bits(by_mpfr<float>(x))) << b;
    auto const back = tally::is_nan(x) ? format<T>::quiet_nan : x.bits;
    ASSERT_EQ(T(wide).bits, back);
    ASSERT_EQ(convert<T>(convert<float>(x)).bits, back);
    ASSERT_EQ(convert<T>(x).bits, back);
  }
}

// Between each two neighbours: the midpoint goes to the even one, a hair beside it to the nearer
// one.
TYPED_TEST(sixteen_bits, every_midpoint_goes_to_the_even_neighbour) {
  using T = TypeParam;
  unsigned const greatest = format<T>::infinity - 1u;
  for (unsigned b = 0; b <= greatest; ++b) {
    double const low = double(T::from_bits(std::uint16_t(b)));
    // Past the greatest value: what would come next.
    double const high = b == greatest ? std::ldexp(1.0, format<T>::bias + 1)
                                      : double(T::from_bits(std::uint16_t(b + 1)));
    double const middle = (low + high) / 2;
    unsigned const even = b + b % 2;
    for (int sign : {1, -1}) {
      unsigned const s = sign < 0 ? 0x8000 : 0;
      ASSERT_EQ(T(sign * middle).bits, s | even) << b;
      ASSERT_EQ(T(sign * std::nextafter(middle, 0)).bits, s | b) << b;
      ASSERT_EQ(T(sign * std::nextafter(middle, INFINITY)).bits, s | (b + 1)) << b;
      ASSERT_EQ(convert<T>(float(sign * middle)).bits, s | even) << b;
    }
  }
}

template <tally::floating To, tally::floating From>
void compare_random(int n) {
  std::mt19937_64 random(1);
  for (int i = 0; i < n; ++i) {
    auto bits = tally::bits_of<From>(random());
    if (random() % 2) {  // within the range of To, near a boundary of its rounding
      auto const near = to_bits(convert<From>(tally::from_bits<To>(tally::bits_of<To>(random()))));
      bits = tally::bits_of<From>(near + random() % 3 - 1);
      if (random() % 2) bits ^= tally::bits_of<From>(1) << (random() % 30);
    }
    From const x = tally::from_bits<From>(bits);
    ASSERT_EQ(to_bits(convert<To>(x)), to_bits(by_mpfr<To>(x))) << std::hex << std::uint64_t(bits);
  }
}

TEST(convert, rounds_random_bits_as_mpfr_does) {
  compare_random<float16, float>(100000);
  compare_random<float16, double>(100000);
  compare_random<bfloat16, float>(100000);
  compare_random<bfloat16, double>(100000);
  compare_random<float16, bfloat16>(100000);
  compare_random<bfloat16, float16>(100000);
}

TEST(convert, rounds_to_float_as_the_processor_does) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 1000000; ++i) {
    std::uint64_t bits = random();
    if (i % 2) bits = (bits & ~(0x7ffull << 52)) | (0x360 + random() % 0x130) << 52;
    double const x = tally::from_bits<double>(bits);
    if (x != x) continue;
    ASSERT_EQ(to_bits(convert<float>(x)), to_bits(float(x))) << x;
    ASSERT_EQ(to_bits(convert<double>(float(x))), to_bits(double(float(x)))) << x;
  }
}

template <tally::floating T>
void compare_round_to(std::uint64_t significand, int exponent, bool negative, bool sticky) {
  mpfr_oracle::number exact(80), result(format<T>::precision);
  mpfr_set_ui_2exp(exact.value, significand, exponent - 63, MPFR_RNDN);
  if (sticky) {
    mpfr_oracle::number half(2);
    mpfr_set_ui_2exp(half.value, 1, exponent - 64, MPFR_RNDN);
    mpfr_add(exact.value, exact.value, half.value, MPFR_RNDN);
  }
  if (negative) mpfr_neg(exact.value, exact.value, MPFR_RNDN);
  int const ternary = mpfr_set(result.value, exact.value, MPFR_RNDN);
  ASSERT_EQ(to_bits(tally::round_to<T>(negative, significand, exponent, sticky)),
            to_bits(mpfr_oracle::rounded<T>(result, ternary)))
      << std::hex << significand << std::dec << " * 2^" << exponent - 63 << " sticky " << sticky;
}

template <tally::floating T>
void compare_round_to(std::mt19937_64& random) {
  using f = format<T>;
  for (int i = 0; i < 50000; ++i) {
    std::uint64_t significand = random() | std::uint64_t(1) << 63;
    if (random() % 2) significand &= ~std::uint64_t(0) << (random() % 64);
    int const exponent = f::lowest - 3 + int(random() % (f::bias + 6 - f::lowest));
    bool const negative = random() % 2, sticky = random() % 2;
    ASSERT_NO_FATAL_FAILURE(compare_round_to<T>(significand, exponent, negative, sticky));
  }
}

// At every exponent near an end of the range: half of what is dropped, less and more than that by
// the last bit and by what is below it, after a last bit of either kind, and after ones only.
template <tally::floating T>
void compare_borders() {
  using f = format<T>;
  constexpr std::uint64_t top = std::uint64_t(1) << 63;
  std::vector<int> exponents;
  for (int e = f::lowest - 4; e <= f::lowest + f::precision + 3; ++e) exponents.push_back(e);
  for (int const e : {-1, 0, f::bias - 1, f::bias, f::bias + 1, f::bias + 2})
    exponents.push_back(e);
  for (int const exponent : exponents) {
    int const kept = std::clamp(exponent - f::lowest + 1, 0, f::precision);
    int const drop = std::min(64 - kept, 63);
    std::uint64_t const half = std::uint64_t(1) << (drop - 1), unit = 2 * half;
    for (std::uint64_t const above : {std::uint64_t(0), unit, 2 * unit, ~(unit - 1)})
      for (std::uint64_t const rest :
           {std::uint64_t(0), std::uint64_t(1), half - 1, half, half + 1, unit - 1})
        for (bool const negative : {false, true})
          for (bool const sticky : {false, true})
            ASSERT_NO_FATAL_FAILURE(
                compare_round_to<T>(top | above | rest, exponent, negative, sticky));
  }
}

TEST(round_to, agrees_with_mpfr_at_every_border) {
  compare_borders<float16>();
  compare_borders<bfloat16>();
  compare_borders<float>();
  compare_borders<double>();
}

TEST(round_to, agrees_with_mpfr_at_every_exponent_and_beyond_both_ends) {
  std::mt19937_64 random(3);
  compare_round_to<float16>(random);
  compare_round_to<bfloat16>(random);
  compare_round_to<float>(random);
  compare_round_to<double>(random);
}

}  // namespace
