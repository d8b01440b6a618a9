// SPDX-License-Identifier: Apache-2.0
#include "ladder/data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "ladder/judge.hpp"

namespace ladder {
namespace {

std::vector<int> ints(data kind, std::size_t n) {
  auto const bytes = make_input(kind, element::int32, n);
  elements<int> const all{std::span(bytes)};
  std::vector<int> made(n);
  for (std::size_t i = 0; i < n; ++i) made[i] = all[i];
  return made;
}

constexpr int least = -2147483647 - 1;

TEST(ladder_data, of_the_page_are_as_t4_has_them) {
  auto const in = ints(data::page, 10'000);
  for (std::size_t i = 0; i < in.size(); ++i)
    EXPECT_TRUE(i % 2 ? in[i] >= 0 : in[i] <= 0) << i << ": " << in[i];
  EXPECT_GT(*std::ranges::max_element(in), 2'000'000'000);
  EXPECT_EQ(in, ints(data::page, 10'000));
}

TEST(ladder_data, for_selections_are_what_they_are_called) {
  EXPECT_TRUE(std::ranges::is_sorted(ints(data::ascending, 5000)));
  EXPECT_TRUE(std::ranges::is_sorted(ints(data::descending, 5000), std::greater{}));
  EXPECT_LT(std::ranges::max(ints(data::negative, 5000)), 0);
  auto const equal = ints(data::equal, 100), few = ints(data::least, 5000);
  EXPECT_EQ(std::set(equal.begin(), equal.end()).size(), 1u);
  EXPECT_EQ(std::set(few.begin(), few.end()), (std::set{least, least + 1, -1, 0, 1, ~least}));
}

}  // namespace
}  // namespace ladder
