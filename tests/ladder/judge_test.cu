// SPDX-License-Identifier: Apache-2.0
#include "ladder/judge.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "ladder/data.hpp"

namespace ladder {
namespace {

template <class T>
std::span<std::byte const> bytes_of(std::vector<T> const& values) {
  return std::as_bytes(std::span(values));
}

template <class T, class Result>
bool accepts(operation op, data kind, std::vector<T> const& in, Result out) {
  problem const given{.op = op,
                      .type = std::is_same_v<T, float> ? element::float32 : element::int32,
                      .n = in.size()};
  std::vector<Result> const answer{out};
  return judge_reduction({given, kind, bytes_of(in), bytes_of(answer)}).right;
}

template <class T>
std::vector<T> input(data kind, element type, std::size_t n) {
  auto const bytes = make_input(kind, type, n);
  elements<T> const values{std::span(bytes)};
  std::vector<T> all;
  for (std::size_t i = 0; i < n; ++i) all.push_back(values[i]);
  return all;
}

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

TEST(ladder_judge, takes_the_exact_sum_of_plain_numbers_and_no_other) {
  std::vector<float> const in{1, -3, 2, 2};
  EXPECT_TRUE(accepts(operation::sum, data::plain, in, 2.0f));
  EXPECT_FALSE(accepts(operation::sum, data::plain, in, std::nextafter(2.0f, 3.0f)));
}

TEST(ladder_judge, allows_a_hard_sum_its_rounding_errors_and_not_twice_as_much) {
  std::vector<float> const in{1, -1, 1, -1};
  EXPECT_TRUE(accepts(operation::sum, data::hard, in, 4 * 4 * 0x1p-24f));
  EXPECT_FALSE(accepts(operation::sum, data::hard, in, 2 * 4 * 4 * 0x1p-24f));
}

TEST(ladder_judge, takes_only_a_nan_where_there_is_one) {
  std::vector<float> const in{1, not_a_number, 2};
  for (auto const op : {operation::sum, operation::minimum, operation::maximum, operation::mean}) {
    EXPECT_TRUE(accepts(op, data::nan, in, not_a_number));
    EXPECT_FALSE(accepts(op, data::nan, in, 1.0f));
  }
}

TEST(ladder_judge, tells_the_two_zeros_apart) {
  std::vector<float> const in{0.0f, -0.0f, 0.0f};
  EXPECT_TRUE(accepts(operation::minimum, data::plain, in, -0.0f));
  EXPECT_FALSE(accepts(operation::minimum, data::plain, in, 0.0f));
  EXPECT_TRUE(accepts(operation::maximum, data::plain, in, 0.0f));
  EXPECT_FALSE(accepts(operation::maximum, data::plain, in, -0.0f));
}

TEST(ladder_judge, wants_the_identity_of_nothing_and_a_nan_for_its_mean) {
  std::vector<float> const none;
  EXPECT_TRUE(accepts(operation::sum, data::plain, none, 0.0f));
  EXPECT_TRUE(accepts(operation::minimum, data::plain, none, infinity));
  EXPECT_TRUE(accepts(operation::maximum, data::plain, none, -infinity));
  EXPECT_TRUE(accepts(operation::mean, data::plain, none, not_a_number));
  EXPECT_FALSE(accepts(operation::mean, data::plain, none, 0.0f));
}

TEST(ladder_judge, wants_integer_sums_of_64_bits) {
  std::vector<int> const in(3, std::numeric_limits<int>::max());
  EXPECT_TRUE(accepts(operation::sum, data::hard, in, 3 * 2147483647LL));
  EXPECT_FALSE(accepts(operation::sum, data::hard, in, (long long)int(3u * 2147483647u)));
}

TEST(ladder_inputs, are_the_same_each_time_and_not_constant) {
  for (auto const kind : {data::plain, data::hard}) {
    auto const in = input<float>(kind, element::float32, 1000);
    EXPECT_EQ(in, input<float>(kind, element::float32, 1000));
    EXPECT_NE(in, std::vector<float>(1000, in[0]));
  }
}

TEST(ladder_inputs, that_are_plain_have_no_zero_that_could_be_lost_unseen) {
  for (float const x : input<float>(data::plain, element::float32, 65'537)) EXPECT_NE(x, 0);
  for (int const x : input<int>(data::plain, element::int32, 65'537)) EXPECT_NE(x, 0);
}

TEST(ladder_inputs, that_are_hard_have_a_naive_sum_that_is_visibly_wrong) {
  auto const in = input<float>(data::hard, element::float32, 65'537);
  float naive = 0;
  long double exact = 0;  // multiples of 2^-36, and no partial sum reaches 2^28
  for (float const x : in) {
    naive += x;
    exact += x;
  }
  EXPECT_GT(std::fabs(naive - exact), 0.01 * std::fabs(exact));
}

}  // namespace
}  // namespace ladder
