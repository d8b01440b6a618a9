// SPDX-License-Identifier: Apache-2.0
#include "tally/exact/quick_between.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace {

using namespace tally;
using tally::detail::place_of;
using tally::detail::sorted_place;

template <class T>
class quick_between : public ::testing::Test {};
using every_element =
    ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                     std::uint32_t, std::int64_t, std::uint64_t, float16, bfloat16, float, double>;
TYPED_TEST_SUITE(quick_between, every_element);

// Numbers of like size, any bits, and neighbours.
template <class T>
T some(std::mt19937_64& random, unsigned kind, T near) {
  auto const word = random();
  if (kind == 0) {
    if constexpr (integer<T>)
      return T(word % 100);
    else
      return convert<T>(std::ldexp(double(word >> 11), -52) - 1);
  }
  auto const bits = bits_of<T>(kind == 1 ? word : to_bits(near) + word % 3);
  T const x = from_bits<T>(bits);
  return is_nan(x) ? T{} : x;
}

// Places as quantiles have them: at doubles, at fractions, and of the methods that choose.
sorted_place some_place(std::mt19937_64& random) {
  auto const n = std::uint64_t(2 + random() % (std::uint64_t(1) << random() % 40));
  auto const u = std::ldexp(double(random() >> 11), -53);
  double const doubles[] = {u, 0.5, 0.25, 0.1, u * 0x1p-60, 5e-324};
  if (random() % 3) return place_of(interpolation::linear, n, doubles[random() % 6]);
  std::uint64_t const most[] = {100, 1 << 20, UINT64_MAX};
  std::uint64_t const denominator = 2 + random() % (most[random() % 3] - 1);
  fraction const q{random() % denominator, denominator};
  return place_of(random() % 2 ? interpolation::linear : interpolation::midpoint, n, q);
}

TYPED_TEST(quick_between, is_what_the_long_way_says_and_mostly_decides) {
  using T = TypeParam;
  using R = quantile_of<T>;
  std::mt19937_64 random(1);
  for (unsigned kind = 0; kind < 3; ++kind) {
    int decided = 0;
    constexpr int cases = 4000;
    for (int i = 0; i < cases; ++i) {
      T a = some<T>(random, kind, T{}), b = some<T>(random, kind, a);
      if (order_key(b) < order_key(a)) std::swap(a, b);
      auto const at = some_place(random);
      R found;
      if (!detail::quick_between(a, b, at, found)) continue;
      ++decided;
      ASSERT_EQ(to_bits(found), to_bits(detail::between<R>(a, b, at)))
          << double(a) << " and " << double(b) << " at " << at.index << " + " << double(at.fraction)
          << " / (2^" << at.scale << " * " << at.denominator << ")";
    }
    if (integer<T> && sizeof(T) == 8)
      EXPECT_GT(decided, 0) << "of kind " << kind;
    else
      EXPECT_GT(decided, (kind == 0 ? 80 : 30) * cases / 100) << "of kind " << kind;
  }
}

TYPED_TEST(quick_between, is_an_element_if_both_are_one) {
  using T = TypeParam;
  using R = quantile_of<T>;
  sorted_place const half{0, 1, 1, 1}, none{0, 0, 0, 1};
  for (T const x : {T(7), std::numeric_limits<T>::max()}) {
    R found;
    ASSERT_TRUE(detail::quick_between(x, x, half, found));
    EXPECT_EQ(to_bits(found), to_bits(detail::between<R>(x, x, half)));
    ASSERT_TRUE(detail::quick_between(x, T(3), none, found));
    EXPECT_EQ(to_bits(found), to_bits(detail::between<R>(x, T(3), none)));
  }
  if constexpr (floating<T>) {
    T const minus_zero = from_bits<T>(format<T>::sign);
    R found;
    ASSERT_TRUE(detail::quick_between(minus_zero, T(3), none, found));
    EXPECT_EQ(to_bits(found), 0u);
    EXPECT_FALSE(detail::quick_between(T(1), infinity<T>(), half, found));
    EXPECT_FALSE(detail::quick_between(infinity<T>(true), T(1), half, found));
  }
}

}  // namespace
