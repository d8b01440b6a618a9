// SPDX-License-Identifier: Apache-2.0
#include "tally/cpu/prefix/ziv_rounding.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

namespace {

using namespace tally;

constexpr int lanes = 2;
using doubles = detail::vec<double, lanes>;

template <class T>
class ziv_rounding_to : public testing::Test {};
using narrower = testing::Types<float16, bfloat16, float>;
TYPED_TEST_SUITE(ziv_rounding_to, narrower);

// x, beside a number that is no trouble, narrowed; whether it is known to be right.
template <class Out>
bool narrowed(double x, int tolerance, double least, Out& out) {
  detail::ziv_rounding<Out, lanes> narrow(tolerance, least);
  doubles const v{1.5, x};
  auto const finished = narrow.finish(narrow(v));
  bits_of<Out> all[lanes];
  std::memcpy(all, &finished, sizeof all);
  out = from_bits<Out>(all[1]);
  return narrow.decided();
}

// As many units of the last place away.
double moved(double x, std::int64_t units) {
  return std::bit_cast<double>(std::bit_cast<std::int64_t>(x) + units);
}

// Half way between two results, the lower one even or odd; next to a power of two, too.
template <class Out>
std::vector<double> midpoints() {
  std::vector<double> out;
  for (int const exponent : {0, 3, -9})
    for (double const units : {0.0, 1.0, 2.0, std::ldexp(1.0, format<Out>::precision - 1) - 1})
      for (int const sign : {1, -1}) {
        double const ulp = std::ldexp(1.0, exponent - format<Out>::precision + 1);
        out.push_back(sign * (std::ldexp(1.0, exponent) + (units + 0.5) * ulp));
      }
  return out;
}

TYPED_TEST(ziv_rounding_to, takes_what_is_farther_than_its_tolerance_and_nothing_nearer) {
  using Out = TypeParam;
  for (double const middle : midpoints<Out>())
    for (int const tolerance : {1, 2, 1 << 5, 1 << 9, 1 << 14})
      for (int const side : {1, -1})
        for (int const step : {0, 1, tolerance / 2, tolerance - 1, tolerance + 1, 2 * tolerance}) {
          if (step == tolerance) continue;
          double const x = moved(middle, side * step);
          Out out;
          ASSERT_EQ(narrowed(x, tolerance, 0x1p-12, out), step > tolerance)
              << x << ' ' << tolerance;
          ASSERT_EQ(to_bits(out), to_bits(convert<Out>(x))) << x;
        }
}

// Without a tolerance a double is what it is: at a midpoint and anywhere beside it.
TYPED_TEST(ziv_rounding_to, rounds_doubles_once) {
  using Out = TypeParam;
  auto const check = [](double x) {
    Out out;
    bool const right = narrowed(x, 0, 0, out);
    bool const small = is_one_of<Out, bfloat16> && x != 0 && std::fabs(x) < 0x1p-126;
    ASSERT_TRUE(right || small) << x;
    if (!right) return;
    ASSERT_EQ(to_bits(out), to_bits(convert<Out>(x))) << std::hexfloat << x;
  };
  for (double const middle : midpoints<Out>())
    for (int bit = 0; bit < 50; ++bit)
      for (int const side : {1, -1}) check(moved(middle, side * (std::int64_t(1) << bit)));
  using f = format<Out>;
  for (int exponent = f::lowest - 3; exponent <= f::bias + 2; ++exponent)
    for (double const x :
         {1.0, 1.5, 1.25, 1.75, 1 + 0x1p-52, 1.5 + 0x1p-52, 1.5 - 0x1p-52, 2 - 0x1p-52, 2 - 0x1p-24,
          2 - 0x1p-25, 2 - 0x1p-11, 2 - 0x1p-12, 2 - 0x1p-8, 2 - 0x1p-9})
      check(std::ldexp(x, exponent)), check(-std::ldexp(x, exponent));
  check(0), check(-0.0);
}

TYPED_TEST(ziv_rounding_to, refuses_what_is_smaller_than_the_least) {
  using Out = TypeParam;
  Out out;
  for (double const least : {0x1p-5, 0x1p-12, 1.0})
    for (int const tolerance : {0, 1 << 9}) {
      EXPECT_TRUE(narrowed(least, tolerance, least, out));
      EXPECT_TRUE(narrowed(-least * 1.25, tolerance, least, out));
      EXPECT_FALSE(narrowed(least * (1 - 0x1p-6), tolerance, least, out));
      EXPECT_FALSE(narrowed(-least / 4, tolerance, least, out));
    }
  EXPECT_FALSE(narrowed(0, 1 << 9, 0x1p-12, out));
}

// Both become infinite, but the sign of what is less is not known.
TYPED_TEST(ziv_rounding_to, refuses_what_is_smaller_than_a_least_beyond_floats) {
  using Out = TypeParam;
  Out out;
  for (double const least : {0x1p128, 0x1p200, 0x1p1000})
    for (int const tolerance : {0, 1 << 9}) {
      EXPECT_FALSE(narrowed(least / 2, tolerance, least, out));
      EXPECT_FALSE(narrowed(-0x1p150, tolerance, 0x1p160, out));
    }
}

}  // namespace
