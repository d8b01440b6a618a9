// SPDX-License-Identifier: Apache-2.0
#include "tally/rows.hpp"

#include "cpu/top_k_oracle.hpp"
#include "support/failure_of.hpp"
#include "tally/top_k.hpp"

namespace tally {
namespace {

using support::failure_of;
using indices = std::vector<std::int64_t>;
using counts = std::vector<std::uint64_t>;

TEST(rows, are_each_a_problem_of_their_own) {
  std::vector<std::int32_t> const x = {3, 1, 4, 9, 1, 5, 9, 2};
  auto const best = top_k(cpu{}, rows{x.data(), 2, 4}, 2);
  EXPECT_EQ(best.values, (std::vector<std::int32_t>{9, 4, 9, 5}));
  EXPECT_EQ(best.indices, (indices{3, 2, 2, 1}));
  EXPECT_EQ(best.counts, (counts{2, 2}));
}

TEST(rows, may_have_a_stride_a_start_a_length_and_a_k_of_their_own) {
  std::vector<float> const x = {3, 1, 4, 9, 1, 5, 9, 2, 6};
  indices const starts = {1, 0}, lengths = {1, 3}, ks = {2, 1};
  auto const best =
      top_k(cpu{1}, rows{x.data(), 2, 3, 5, starts.data(), lengths.data()}, {ks.data(), 2});
  EXPECT_EQ(best.counts, (counts{1, 1}));
  EXPECT_EQ(best.indices, (indices{0, -1, 1, -1}));
  EXPECT_EQ(best.values[0], 1);
  EXPECT_TRUE(is_nan(best.values[1]) && is_nan(best.values[3]));
  EXPECT_EQ(best.values[2], 9);
}

TEST(rows, of_negative_lengths_or_ks_have_none_and_of_larger_ones_all) {
  std::vector<std::int32_t> const x = {3, 1, 4, 9, 1, 5, 9, 2, 6, 5, 3, 5};
  auto const least = std::numeric_limits<std::int64_t>::min();
  indices const lengths = {-1, 3, least, 99}, ks = {2, -1, 2, 99};
  for (int threads : {1, 8}) {
    rows const own{x.data(), 4, 3, 3, nullptr, lengths.data()};
    auto const best = top_k(cpu{threads}, own, 2);
    EXPECT_EQ(best.counts, (counts{0, 2, 0, 2}));
    EXPECT_EQ(best.indices, (indices{-1, -1, 0, 2, -1, -1, 0, 2}));
    EXPECT_EQ(best.values, (std::vector<std::int32_t>{0, 0, 9, 5, 0, 0, 5, 5}));
    auto const of_own_k = top_k(cpu{threads}, own, {ks.data(), 2});
    EXPECT_EQ(of_own_k.counts, (counts{0, 0, 0, 2}));
    EXPECT_EQ(of_own_k.indices, (indices{-1, -1, -1, -1, -1, -1, 0, 2}));
  }
}

TEST(rows, take_any_number_of_threads_and_every_option) {
  std::vector<float> x(13 * 100);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = i % 11 == 0 ? quiet_nan<float>() : float(i * 7919 % 101);
  for (auto order : {largest, smallest})
    for (bool sorted : {true, false})
      for (bool distinct : {true, false})
        for (auto nan : {propagate, skip}) {
          top_k_options const options{order, sorted, distinct, nan};
          for (int threads : {1, 3, 20}) {
            auto const best = top_k(cpu{threads}, rows{x.data(), 13, 90, 100}, 95, options);
            for (std::size_t r = 0; r < 13; ++r) {
              auto const row = std::span<float const>(x).subspan(100 * r, 90);
              auto expected = top_k_oracle::ranked(row, options);
              if (!sorted) std::ranges::sort(expected);
              ASSERT_EQ(best.counts[r], expected.size());
              expected.resize(95, -1);
              ASSERT_EQ(indices(best.indices.begin() + std::ptrdiff_t(95 * r),
                                best.indices.begin() + std::ptrdiff_t(95 * (r + 1))),
                        expected);
            }
          }
        }
}

TEST(rows, have_indices_of_32_bits_on_request) {
  std::vector<std::uint8_t> const x = {3, 1, 4, 1, 5, 9};
  std::vector<std::uint8_t> values(4);
  std::vector<std::int32_t> at(4);
  counts found(2);
  top_k_into(cpu{}, rows{x.data(), 2, 3}, 2, values, at, found.data());
  EXPECT_EQ(at, (std::vector<std::int32_t>{2, 0, 2, 1}));
  EXPECT_EQ(values, (std::vector<std::uint8_t>{4, 3, 9, 5}));
  EXPECT_EQ(found, (counts{2, 2}));
  std::uint64_t count = 0;
  EXPECT_EQ(top_k_into(cpu{}, x, 2, values, at, &count), 2u);
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(at[0], 5);
}

TEST(rows, need_room_for_k_each) {
  std::vector<float> const x(12);
  std::vector<float> values(5);
  indices at(6);
  EXPECT_EQ(failure_of([&] { top_k_into(cpu{}, rows{x.data(), 3, 4}, 2, values, at, nullptr); }),
            "top_k_into: values has room for 5, k = 6");
}

}  // namespace
}  // namespace tally
