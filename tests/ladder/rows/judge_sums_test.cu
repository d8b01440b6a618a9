// SPDX-License-Identifier: Apache-2.0
#include "ladder/rows/judge_sums.hpp"

#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "ladder/rows/rows.cuh"
#include "ladder/verify.hpp"

namespace ladder::rows {
namespace {

template <class T>
judgement judged(data kind, std::vector<T> const& in, std::vector<total_of<T>> const& out,
                 std::vector<summands> const& of) {
  problem const given{.op = operation::sum,
                      .type = std::is_same_v<T, float> ? element::float32 : element::int32,
                      .n = in.size()};
  auto const bytes = [](auto const& values) { return std::as_bytes(std::span(values)); };
  return judge_sums({given, kind, bytes(in), bytes(out)}, [&](std::size_t i) { return of[i]; });
}

std::vector<int> const numbers{1, 2, 3, 10, 20, 30, 100};
std::vector<summands> const rows{{0, 3}, {3, 3}, {6, 1}}, columns{{0, 3, 3}, {1, 2, 3}, {2, 2, 3}};

TEST(ladder_sums_judge, wants_the_sum_of_each_row_and_of_each_column) {
  EXPECT_TRUE(judged(data::plain, numbers, {6, 60, 100}, rows).right);
  EXPECT_TRUE(judged(data::plain, numbers, {111, 22, 33}, columns).right);
  EXPECT_FALSE(judged(data::plain, numbers, {111, 22, 33}, rows).right);
}

TEST(ladder_sums_judge, says_which_sum_is_the_first_that_is_wrong) {
  EXPECT_EQ(judged(data::plain, numbers, {6, 61, 0}, rows).why, "sum 1: expected 60, found 61");
}

TEST(ladder_sums_judge, wants_0_of_no_numbers) {
  EXPECT_TRUE(judged(data::plain, numbers, {0}, {{7, 0}}).right);
  EXPECT_FALSE(judged(data::plain, numbers, {1}, {{7, 0}}).right);
}

TEST(ladder_sums_judge, allows_each_hard_sum_the_rounding_errors_of_its_own_numbers) {
  std::vector<float> const in{1, -1, 1024, 1024};
  float const allowed = 2 * 2 * 0x1p-24f;
  std::vector<summands> const both{{0, 2}, {2, 2}};
  EXPECT_TRUE(judged(data::hard, in, {allowed, 2048}, both).right);
  EXPECT_FALSE(judged(data::hard, in, {2 * allowed, 2048}, both).right);
}

TEST(ladder_rows, are_all_numbers_whatever_their_shape) {
  for (auto const shape : {square, of_16_columns, of_64_columns, of_4_rows}) {
    for (std::size_t const n : {0, 1, 15, 16, 17, 1000, 65'537}) {
      auto const m = shape(n);
      std::size_t begin = 0;
      for (std::size_t row = 0; row < m.rows; begin = m.end(row++)) {
        EXPECT_EQ(m.begin(row), begin);
        EXPECT_LE(m.end(row), begin + m.width);
      }
      EXPECT_EQ(begin, n);
    }
  }
}

}  // namespace
}  // namespace ladder::rows
