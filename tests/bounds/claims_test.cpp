// SPDX-License-Identifier: Apache-2.0
//
// A bound that is exceeded by one unit is seen, one that is just reached is not reported.
#include "bounds/claims.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

namespace {

using namespace tally::bounds;

constexpr claim_at here{"here.hpp", 7};

struct format {
  static constexpr int precision = 24, lowest = -149;
};
struct tile {
  static constexpr int size = 512;
  double const* data;
  int count;
  double operator[](int k) const { return data[k]; }
};

class claims : public testing::Test {
 protected:
  void SetUp() override { forget(); }
  void TearDown() override { forget(); }
};

TEST_F(claims, nothing_is_known_of_what_was_not_claimed) { EXPECT_EQ(largest("none"), -1); }

TEST_F(claims, the_largest_use_of_a_capacity_counts) {
  here.within("room", 3.0, 8);
  here.within("room", -6.0, 8);
  here.within("room", 1, 8);
  EXPECT_EQ(largest("room"), 0.75);
  EXPECT_FALSE(any_exceeded());
  here.within("room", 8.0, 8);
  EXPECT_FALSE(any_exceeded());
  here.within("room", std::nextafter(8, 9), 8);
  EXPECT_TRUE(any_exceeded());
}

TEST_F(claims, what_is_not_a_number_is_within_nothing) {
  here.within("room", NAN, 8);
  EXPECT_TRUE(any_exceeded());
}

TEST_F(claims, an_addition_is_exact_up_to_53_bits) {
  here.adds("sum", 0x1p53 - 2, 1.0);
  EXPECT_FALSE(any_exceeded());
  EXPECT_GT(largest("sum"), 0.999);
  here.adds("sum", 0x1p53, 3.0);  // 54 bits
  EXPECT_TRUE(any_exceeded());
}

TEST_F(claims, an_addition_that_is_exact_by_luck_alone_is_seen) {
  here.adds("sum", 0x1p53 + 2, 2.0);
  EXPECT_FALSE(any_exceeded());
  here.adds("sum", 0x1p53 - 1, 3.0);  // a multiple of 2, of numbers that are not
  EXPECT_TRUE(any_exceeded());
}

TEST_F(claims, floats_have_24_bits) {
  using floats [[gnu::vector_size(16)]] = float;
  floats const a{0x1p24f - 2, 0, 1, 2}, one{1, 0, 0, 0}, three{3, 0, 0, 0};
  here.adds("sum", a, one);
  EXPECT_FALSE(any_exceeded());
  here.adds("sum", a, three);
  EXPECT_TRUE(any_exceeded());
}

TEST_F(claims, one_lane_is_enough) {
  using doubles [[gnu::vector_size(64)]] = double;
  doubles x{1, 1, 1, 1, 1, 1, 1, 1};
  here.within("room", x, 8);
  EXPECT_EQ(largest("room"), 0.125);
  x[7] = -9;
  here.within("room", x, 8);
  EXPECT_TRUE(any_exceeded());
}

TEST_F(claims, lanes_are_added_up_without_an_error) {
  using doubles [[gnu::vector_size(32)]] = double;
  doubles const x{0x1p52, 0x1p51, 0, 1}, y{0x1p51, 0, 0, 0};
  here.lanes("sum", x);
  EXPECT_FALSE(any_exceeded());
  here.lanes("sum", x, y);  // 2^53 + 1
  EXPECT_TRUE(any_exceeded());
}

TEST_F(claims, what_was_only_tried_counts_if_it_is_used) {
  here.begin();
  here.within("room", 9.0, 8);
  here.settle(false);
  EXPECT_FALSE(any_exceeded());
  EXPECT_EQ(largest("room"), -1);
  here.begin();
  here.within("room", 9.0, 8);
  here.settle(true);
  EXPECT_TRUE(any_exceeded());
}

TEST_F(claims, a_digit_bears_what_an_int_holds) {
  int digit = 0x7fffffff - 5;
  here.counter("digit", &digit, 5);
  EXPECT_FALSE(any_exceeded());
  here.counter("digit", &digit, 6);
  EXPECT_TRUE(any_exceeded());
}

TEST_F(claims, a_product_is_two_doubles_if_its_last_bit_is_one_of_a_double) {
  double const a = 1 + 0x1p-52, small = std::ldexp(a, -950);
  here.product("product", a, a, a * a, std::fma(a, a, -(a * a)));
  EXPECT_FALSE(any_exceeded());
  double const p = small * std::ldexp(a, -60);
  here.product("product", small, std::ldexp(a, -60), p, std::fma(small, std::ldexp(a, -60), -p));
  EXPECT_TRUE(any_exceeded());
}

TEST_F(claims, values_round_as_one_if_no_boundary_is_within_their_error) {
  struct {
    double high, low;
  } const value{1 + 0x1p-24, 0x1p-80};
  here.rounds<format>("round", value, 0x1p-81, 0, 1 + 0x1p-23f);
  EXPECT_FALSE(any_exceeded());
  EXPECT_EQ(largest("round"), 0.5);
  here.rounds<format>("round", value, 0x1p-79, 0, 1 + 0x1p-23f);
  EXPECT_TRUE(any_exceeded());
}

TEST_F(claims, approximations_are_compared_with_all_of_them) {
  struct {
    struct {
      double high, low;
    } value{1, 0};
    double error = 0x1p-40;
    int exponent = 64;
  } found;
  auto const digit = [](int i) { return i == 2 ? 1 : i == 0 ? 1 << 20 : 0; };
  here.approximation("approximation", digit, 0, 2, 0, found);
  EXPECT_EQ(largest("approximation"), 0x1p-4);  // 2^20 of 2^24
  found.error = 0x1p-45;
  here.approximation("approximation", digit, 0, 2, 0, found);
  EXPECT_TRUE(any_exceeded());
}

TEST_F(claims, running_sums_are_compared_with_the_exact_ones) {
  double const x[] = {1, 0x1p-24, 0x1p-60};
  running truth;
  here.note_one(0, 1), here.note_one(1, 1 + 0x1p-24), here.note_one(2, 1 + 0x1p-24);
  here.moves<format>(truth, tile{x, 2}).rounds("sums");
  EXPECT_FALSE(any_exceeded());
  truth = {};
  here.moves<format>(truth, tile{x, 3}).rounds("sums");  // no tie, but something above it
  EXPECT_TRUE(any_exceeded());
}

TEST_F(claims, a_process_that_has_exceeded_a_bound_fails) {
  EXPECT_EXIT((here.within("room", 9.0, 8), std::exit(0)), testing::ExitedWithCode(4),
              "here.hpp:7: bound exceeded: room");
  EXPECT_EXIT((here.within("room", 8.0, 8), std::exit(0)), testing::ExitedWithCode(0), "");
}

}  // namespace
