// SPDX-License-Identifier: Apache-2.0
#include "bounds/exact.hpp"

#include <gmp.h>
#include <gtest/gtest.h>
#include <mpfr.h>

#include <bit>
#include <cmath>
#include <random>

namespace {

using tally::bounds::exact;

// Sums of this many bits are exact in MPFR.
class mpfr_sum {
 public:
  mpfr_sum() {
    mpfr_init2(value_, 6000);
    mpfr_set_zero(value_, 1);
  }
  ~mpfr_sum() { mpfr_clear(value_); }
  void add(double x, int scale) {
    mpfr_t t;
    mpfr_init2(t, 53);
    mpfr_set_d(t, x, MPFR_RNDN);
    mpfr_mul_2si(t, t, scale, MPFR_RNDN);
    mpfr_add(value_, value_, t, MPFR_RNDN);
    mpfr_clear(t);
  }
  void add_product(double x, double y) {
    mpfr_t t;
    mpfr_init2(t, 106);
    mpfr_set_d(t, x, MPFR_RNDN);
    mpfr_mul_d(t, t, y, MPFR_RNDN);
    mpfr_add(value_, value_, t, MPFR_RNDN);
    mpfr_clear(t);
  }
  // To nearest, with no end to the exponents.
  long double rounded(int precision) const {
    mpfr_t t;
    mpfr_init2(t, precision);
    mpfr_set(t, value_, MPFR_RNDN);
    long double const out = mpfr_get_ld(t, MPFR_RNDN);
    mpfr_clear(t);
    return out;
  }
  int lowest() const {
    mpz_t z;
    mpz_init(z);
    mpfr_exp_t const e = mpfr_get_z_2exp(z, value_);
    int const out = int(e + mpfr_exp_t(mpz_scan1(z, 0)));
    mpz_clear(z);
    return out;
  }

 private:
  mpfr_t value_;
};

double random_double(std::mt19937_64& random, int around, int width) {
  double const m = std::ldexp(double(random() >> 11) + 1, -53);
  return std::ldexp(random() % 2 ? m : -m, around + int(random() % unsigned(width)));
}

TEST(exact, sums_and_products_are_those_of_MPFR) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    exact e;
    mpfr_sum m;
    int const around = int(random() % 900) - 500, width = 1 + int(random() % 200);
    for (int k = int(random() % 30); k >= 0; --k) {
      double const x = random_double(random, around, width), y = random_double(random, 0, 3);
      int const scale = random() % 4 ? 0 : 64;
      e.add(x, scale), m.add(x, scale);
      if (random() % 2) e.add_product(x, y), m.add_product(x, y);
      if (random() % 3) continue;
      e.add(exact(x), true), m.add(-x, 0);  // what is left may be little
    }
    for (int const precision : {8, 11, 24, 53})
      ASSERT_EQ(e.rounded(precision, -2000), m.rounded(precision)) << i;
    if (!e.is_zero()) {
      ASSERT_EQ(e.lowest(), m.lowest());
    }
  }
}

TEST(exact, what_cancels_leaves_its_last_bit) {
  for (int gap = 1; gap < 2000; ++gap) {
    exact e(1);
    e.add(1, -gap);
    e.add(-1);
    ASSERT_EQ(e.value(), std::ldexp(1.0L, -gap));
    ASSERT_EQ(e.lowest(), -gap);
    e.add(-1, -gap);
    ASSERT_TRUE(e.is_zero());
  }
}

TEST(exact, rounds_as_IEEE_does_where_results_are_subnormal_too) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 20000; ++i) {
    double const x = random_double(random, -160, 60);
    ASSERT_EQ(exact(x).rounded(24, -149), float(x)) << x;
  }
  // Ties go to even, unless anything is left below them.
  for (int gap = 30; gap < 500; ++gap)
    for (double const sign : {1.0, -1.0}) {
      exact e(1 + 0x1p-24);
      e.add(sign, -gap);
      ASSERT_EQ(e.rounded(24, -149), sign > 0 ? 1 + 0x1p-23L : 1) << gap;
    }
}

TEST(exact, knows_how_far_it_is_to_where_its_rounding_changes) {
  for (int gap = 26; gap < 60; ++gap) {
    exact e(1 + 0x1p-24);
    e.add(1, -gap);
    EXPECT_EQ(e.to_boundary(24, -149), std::ldexp(1.0L, -gap));
    EXPECT_EQ(exact(1.5).to_boundary(24, -149), 0x1p-24L);
  }
}

}  // namespace
