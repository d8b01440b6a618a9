// SPDX-License-Identifier: Apache-2.0
//
// What is kept fills chunks to their last place, and the budget to its last chunk.
#include "cpu/top_k/gather.hpp"

#include <gtest/gtest.h>

#include "cpu/top_k/running.hpp"

namespace tally::detail::top_k {
namespace {

using element_type = std::uint32_t;
constexpr std::size_t capacity = chunk<element_type>::capacity;
constexpr interval<element_type> range{1000, 1'000'000};
auto const rank = ranking<element_type>::of(std::type_identity<element_type>{}, {});

// So many elements inside the range, and among them as many above and below it.
std::vector<element_type> with_inside(std::size_t count) {
  std::vector<element_type> all;
  for (std::size_t i = 0; i < count; ++i)
    for (auto const x : {range.low + element_type(i), range.high + 1, range.low - 1})
      all.push_back(x);
  return all;
}

// Beside a file of 20 GB, say: its elements stay in the file.
template <class R>
void expect_less_than_a_gigabyte() {
  std::uint64_t const n = 20'000'000'000 / sizeof(R);
  auto const budget = double(chunk_budget<R>(n)) * sizeof(chunk<R>);
  EXPECT_LT(budget, 0.7e9);
  // What lies between five standard deviations to either side of the middle of a sample.
  double const inside = 5 / std::sqrt(double(bracket_samples(n))) * double(n);
  EXPECT_LT(inside * (sizeof(R) + sizeof(std::int64_t)), budget);
  EXPECT_LT(running<R>::room_for(n) * (sizeof(R) + sizeof(std::int64_t)), 0.7e9);
}

TEST(gathered_elements, take_less_than_a_gigabyte_beside_large_arrays) {
  expect_less_than_a_gigabyte<std::uint8_t>();
  expect_less_than_a_gigabyte<float16>();
  expect_less_than_a_gigabyte<float>();
  expect_less_than_a_gigabyte<double>();
  EXPECT_EQ(bracket_samples(1 << 29), 1u << 16);  // as of fewer
}

// All of each piece that is inside, in order, in chunks that are full but for its last one.
void expect_kept(pieces<element_type> const& from, std::int64_t allowed) {
  auto const found = gather(rank, from, range, allowed, 1);
  std::int64_t needed = 0;
  std::uint64_t inside = 0;
  std::vector<std::size_t> sizes;
  for (auto const& p : from) {
    auto rest = p.size / 3;
    inside += rest;
    needed += std::int64_t((rest + capacity - 1) / capacity);
    for (; rest > 0; rest -= sizes.back()) sizes.push_back(std::min(rest, capacity));
  }
  ASSERT_EQ(found.complete, needed <= allowed) << needed << " chunks, " << allowed << " allowed";
  if (!found.complete) return;
  EXPECT_EQ(found.above, inside);
  EXPECT_EQ(found.inside, inside);
  ASSERT_EQ(found.kept.size(), sizes.size());
  std::size_t p = 0, i = 0;
  for (std::size_t c = 0; c < sizes.size(); ++c) {
    auto const& kept = *found.kept[c];
    ASSERT_EQ(kept.size, sizes[c]);
    for (std::size_t j = 0; j < kept.size; ++j, ++i) {
      for (; i == from[p].size / 3; i = 0) ++p;
      ASSERT_EQ(kept.indices[j], from[p].first + std::int64_t(3 * i));
      ASSERT_EQ(kept.values[j], from[p].values[3 * i]);
    }
  }
}

TEST(gathered_elements, fill_the_budget_to_its_last_place) {
  for (std::int64_t allowed : {1, 2, 3})
    for (std::size_t more : {-1, 0, 1}) {
      auto const in = with_inside(std::size_t(allowed) * capacity + more);
      expect_kept({{in.data(), in.size(), nullptr, 7}}, allowed);
    }
  auto const nothing = with_inside(0), one = with_inside(1);
  expect_kept({{nothing.data(), 0, nullptr, 0}}, 0);
  expect_kept({{one.data(), 3, nullptr, 0}}, 0);
}

TEST(gathered_elements, of_several_pieces_share_the_budget) {
  auto const in = with_inside(3 * capacity);
  for (std::size_t first : {std::size_t(1), capacity - 1, capacity, capacity + 1, 2 * capacity})
    for (std::int64_t allowed : {2, 3, 4})
      expect_kept(
          {{in.data(), 3 * first, nullptr, 0},
           {in.data() + 3 * first, in.size() - 3 * first, nullptr, std::int64_t(3 * first)}},
          allowed);
}

}  // namespace
}  // namespace tally::detail::top_k
