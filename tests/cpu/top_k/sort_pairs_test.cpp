// SPDX-License-Identifier: Apache-2.0
//
// Pairs in order, around the sizes at which the sort is another.
#include "cpu/top_k/sort_pairs.hpp"

#include <gtest/gtest.h>

#include <random>

namespace tally::detail::top_k {
namespace {

TEST(pairs, are_sorted_by_rank_and_then_by_index) {
  auto const rank = ranking<std::uint32_t>::of(std::type_identity<std::uint32_t>{}, {});
  std::mt19937_64 random(1);
  for (std::size_t n = 0; n < 70; ++n)
    for (std::uint64_t kinds : {std::uint64_t(1), std::uint64_t(3), std::uint64_t(1) << 32}) {
      std::vector<std::pair<std::uint32_t, std::int64_t>> expected(n);
      for (std::size_t i = 0; i < n; ++i)
        expected[i] = {std::uint32_t(random() % kinds), std::int64_t(i) << (i % 2 ? 33 : 0)};
      std::ranges::shuffle(expected, random);
      std::vector<std::uint32_t> values;
      std::vector<std::int64_t> indices;
      for (auto const& [value, index] : expected) values.push_back(value), indices.push_back(index);
      std::ranges::sort(expected, [](auto const& a, auto const& b) {
        return a.first != b.first ? a.first > b.first : a.second < b.second;
      });
      sort_pairs(values.data(), indices.data(), n, by_rank<std::uint32_t>{rank});
      for (std::size_t i = 0; i < n; ++i)
        ASSERT_EQ((std::pair{values[i], indices[i]}), expected[i]) << n << " of " << kinds;
    }
}

}  // namespace
}  // namespace tally::detail::top_k
