// SPDX-License-Identifier: Apache-2.0
#include "tally/exact/fixed_point.hpp"

#include <gtest/gtest.h>

#include <random>

#include "support/whole.hpp"

namespace {

using support::whole;
using number = tally::detail::fixed_point<12, -149>;

void expect_value(number const& x, whole const& want, char const* what) {
  whole found;
  set(found, x);
  ASSERT_TRUE(found == want) << what;
  bool negative;
  auto const size = x.magnitude(negative);
  whole magnitude, absolute;
  mpz_import(magnitude.value, sizeof size.limb / 4, -1, 4, 0, 0, size.limb);
  mpz_abs(absolute.value, want.value);
  ASSERT_TRUE(magnitude == absolute) << what;
  ASSERT_EQ(negative, mpz_sgn(want.value) < 0) << what;
}

TEST(fixed_point, adds_and_merges_as_gmp_does) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    number x, y;
    whole want_x, want_y;
    for (int i = 0; i < 50; ++i) {
      bool const negative = random() % 2, into_x = random() % 2;
      std::uint64_t const significand =
          random() % 3 ? random() >> random() % 64 : ~std::uint64_t(0);
      int const at = int(random() % 260);
      (into_x ? x : y).add(negative, significand, at - 149);
      (into_x ? want_x : want_y).add(negative ? -1 : 1, whole(significand), at);
      if (random() % 8 == 0) x.carry();
    }
    expect_value(x, want_x, "x");
    x.add(y);
    want_x.add(1, want_y, 0);
    expect_value(x, want_x, "x + y");
  }
}

// Digits are as large as so many deposits make them, of either sign, and there is one more.
TEST(fixed_point, has_room_for_as_many_deposits_as_it_counts) {
  constexpr std::uint32_t most = (std::uint32_t(1) << 29) - 1;  // at which the next one carries
  for (int const sign : {1, -1})
    for (std::uint32_t const pending : {most - 2, most - 1, most}) {
      number x;
      x.pending = pending;
      for (int i = 0; i + 1 < number::digits; ++i)
        x.digit[i] = sign * ((std::int64_t(pending) + 1) * 0xffffffff);
      whole want;
      set(want, x);
      for (int i = 0; i < 5; ++i) {
        x.add(sign < 0, ~std::uint64_t(0), 31 - 149);
        want.add(sign, whole(~std::uint64_t(0)), 31);
        expect_value(x, want, "after a deposit");
      }
    }
}

// Numbers that were carried count as deposits, too; twice as much, fifty times.
TEST(fixed_point, may_be_doubled_again_and_again) {
  for (bool const carried : {false, true})
    for (int const sign : {1, -1}) {
      number x;
      x.add(sign < 0, ~std::uint64_t(0), -149);
      x.add(sign < 0, ~std::uint64_t(0), 64 - 149);
      if (carried) x.carry();
      whole want;
      set(want, x);
      for (int i = 0; i < 50; ++i) {
        x.add(number(x));
        want.add(1, want, 0);
        expect_value(x, want, "doubled");
      }
    }
}

// One that stays small, and takes many that are as large as they may be.
TEST(fixed_point, takes_numbers_with_many_deposits) {
  number large;
  large.pending = (std::uint32_t(1) << 29) - 1;
  for (int i = 0; i + 1 < number::digits; ++i)
    large.digit[i] = (std::int64_t(large.pending) + 1) * 0xffffffff;
  number x;
  whole want, part;
  set(part, large);
  for (int i = 0; i < 20; ++i) {
    x.add(large);
    want.add(1, part, 0);
    expect_value(x, want, "merged");
  }
}

}  // namespace
