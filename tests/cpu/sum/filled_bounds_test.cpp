// SPDX-License-Identifier: Apache-2.0
//
// Inputs that come as near to bounds as can be (HACKING.md, Bounds), and answers that are known
// beforehand: sums of integers, in a unit far below.
#include <gtest/gtest.h>
#include <mpfr.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tally/exact/double_double.hpp"
#include "tally/tally.hpp"

namespace {

using namespace tally;

// Digits that grow until they have to be carried, and are doubled once more.
TEST(filled_bounds, a_state_can_be_doubled_a_hundred_times) {
  for (double const x : {0x1.fffffffffffffp-3, -0x1.fffffffffffffp-3, 0x1p-1074}) {
    exact_state<double> s;
    s.add(x);
    for (int k = 1; k <= 100; ++k) {
      auto const t = s;
      s.merge(t);
      ASSERT_EQ(s.result(), std::ldexp(x, k)) << x << " doubled " << k << " times";
    }
  }
}

TEST(filled_bounds, a_tile_may_add_up_to_the_largest_double) {
  double const largest = std::numeric_limits<double>::max();
  for (double const sign : {1.0, -1.0}) {
    std::vector<double> x(512, sign * largest / 512);
    EXPECT_EQ(reduce(cpu{1}, x, sum{}), sign * largest);
    x.push_back(sign * 0x1p970);  // half a unit: too much
    EXPECT_EQ(reduce(cpu{1}, x, sum{}), sign * std::numeric_limits<double>::infinity());
    x.push_back(sign * -0x1p-1074);
    EXPECT_EQ(reduce(cpu{1}, x, sum{}), sign * largest);
  }
}

// Running sums of k[i] * 2^unit, each rounded once, as the compiler converts integers.
template <class In, class Out>
void expect_prefixes(std::vector<__int128> const& k, int unit) {
  std::vector<In> x;
  std::vector<Out> want, out(k.size());
  __int128 sum = 0;
  for (__int128 const element : k) {
    x.push_back(In(std::ldexp(double(element), unit)));
    want.push_back(Out(std::ldexp(Out(sum += element), unit)));
  }
  inclusive_scan(cpu{1}, x, out, tally::sum{});
  for (std::size_t i = 0; i < k.size(); ++i)
    ASSERT_EQ(out[i], want[i]) << "of " << k.size() << ", " << i;
}

// What elements have below a window's high part adds up to as much as it can: all bits of it are
// set, and all have one sign. Behind a large element, at every depth in turn.
TEST(filled_bounds, prefixes_take_all_that_lies_below_a_large_sum) {
  for (int width = 1; width <= 53; ++width)
    for (int sign : {1, -1})
      for (int base = 80; base <= 110; base += 10) {
        std::vector<__int128> k(1100, sign * ((__int128(1) << width) - 1));
        k[0] = __int128(1) << base;
        expect_prefixes<double, double>(k, -100);
        k[700] = -k[0];  // and what was below is left
        expect_prefixes<double, double>(k, -100);
      }
}

TEST(filled_bounds, prefixes_of_floats_take_all_that_lies_below_a_large_sum) {
  for (int place = 0; place <= 60; ++place)
    for (int sign : {1, -1}) {
      std::vector<__int128> k(1100, sign * (((__int128(1) << 24) - 1) << place));
      k[0] = __int128(1) << 80;
      expect_prefixes<float, float>(k, -60);
      expect_prefixes<float, double>(k, -60);
      k[700] = -k[0];
      expect_prefixes<float, float>(k, -60);
      expect_prefixes<float, double>(k, -60);
    }
}

// Digits as large as a device's may be, of either sign, against all of them.
TEST(filled_bounds, leading_digits_are_as_near_as_they_say) {
  std::mt19937_64 random(2);
  constexpr std::int64_t most = (std::int64_t(1) << 48) - 1;
  for (int count = 1; count <= 20; ++count)
    for (int i = 0; i < 100; ++i) {
      std::vector<std::int64_t> digit(std::size_t(count), most);
      for (auto& d : digit) d = random() % 4 ? d - std::int64_t(random() % 4) : -d;
      auto const found =
          detail::approximation_of([&](int at) { return digit[std::size_t(at)]; }, 0, count - 1, 0);
      mpfr_t off, part;
      mpfr_inits2(2000, off, part, nullptr);
      mpfr_set_zero(off, 1);
      for (int at = 0; at < count; ++at) {
        mpfr_set_sj_2exp(part, digit[std::size_t(at)], 32 * at, MPFR_RNDN);
        mpfr_add(off, off, part, MPFR_RNDN);
      }
      for (double const d : {found.value.high, found.value.low}) {
        mpfr_set_d(part, d, MPFR_RNDN);
        mpfr_mul_2si(part, part, found.exponent, MPFR_RNDN);
        mpfr_sub(off, off, part, MPFR_RNDN);
      }
      mpfr_mul_2si(off, off, -found.exponent, MPFR_RNDN);
      EXPECT_LE(std::fabs(mpfr_get_d(off, MPFR_RNDA)), found.error) << count << " digits";
      mpfr_clears(off, part, nullptr);
    }
}

// What lies beside a midpoint, ever nearer, rounds away from it or is left to exact arithmetic.
TEST(filled_bounds, approximations_see_on_which_side_of_a_midpoint_a_sum_is) {
  bool answered = false, left = false;
  for (int gap = 60; gap <= 400; ++gap)
    for (double const sign : {1.0, -1.0}) {
      exact_state<double> s;
      for (double const x : {1.0, 0x1p-53, sign * std::ldexp(1.0, -gap)}) s.add(x);
      s.finite.carry();
      int low = 0, high = s.finite.digits - 1;
      while (s.finite.digit[high] == 0) --high;
      while (s.finite.digit[low] == 0) ++low;
      auto const digit = [&](int i) { return s.finite.digit[i]; };
      double got;
      bool const known =
          detail::quick_mean(detail::approximation_of(digit, low, high, s.finite.lsb), 1, got);
      if (known) {
        ASSERT_EQ(got, sign > 0 ? 1 + 0x1p-52 : 1) << gap;
      }
      (known ? answered : left) = true;
    }
  EXPECT_TRUE(answered && left);
}

}  // namespace
