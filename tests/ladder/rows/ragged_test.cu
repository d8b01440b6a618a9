// SPDX-License-Identifier: Apache-2.0
#include "ladder/rows/09_ragged.cu"

#include <gtest/gtest.h>

namespace ladder::rows {
namespace {

// The sums of equal shares of 6 warps, of the numbers 1 to begins.back().
std::vector<long long> sums_of(std::vector<std::size_t> const& begins) {
  std::vector<int> numbers(begins.back());
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = int(i + 1);
  tally::device_array<int> const in{std::span<int const>(numbers)};
  tally::device_array<std::size_t> const where{std::span<std::size_t const>(begins)};
  tally::device_array<long long> const out(begins.size() - 1);
  out.fill_bytes(0xff);
  tally::launch(zeros<long long>, 2, 96)(out.data(), begins.size() - 1);
  tally::launch(equal_shares<int, quietly>, 2, 96)(
      in.data(), segments{where.data(), begins.size() - 1, numbers.size()}, out.data(), quietly{});
  return out.to_host();
}

std::vector<long long> expected(std::vector<std::size_t> const& begins) {
  std::vector<long long> sums;
  for (std::size_t s = 0; s + 1 < begins.size(); ++s) {
    long long const below = begins[s], all = begins[s + 1];
    sums.push_back(all * (all + 1) / 2 - below * (below + 1) / 2);
  }
  return sums;
}

TEST(equal_shares, give_each_segment_its_sum_whatever_the_lengths_around_it) {
  for (std::vector<std::size_t> const& begins : std::vector<std::vector<std::size_t>>{
           {0, 1},
           {0, 600},                                    // in all shares
           {0, 0, 0, 100, 100, 100, 200, 600, 600},     // nothing at the borders of shares
           {0, 99, 100, 101, 199, 201, 299, 301, 600},  // ending beside these
           {0, 0, 1, 1, 2, 3, 3}})                      // more warps than numbers
    EXPECT_EQ(sums_of(begins), expected(begins)) << begins.size();
}

TEST(ragged_rows, are_all_numbers_and_the_first_is_the_longest) {
  for (std::size_t const n : {1, 64, 65, 1000, 65'537}) {
    EXPECT_EQ(begin_of(n, 0), 0u);
    EXPECT_EQ(begin_of(n, segments_of(n)), n);
    for (std::size_t s = 1; s < segments_of(n); ++s)
      EXPECT_LE(begin_of(n, s + 1) - begin_of(n, s), begin_of(n, 1) + 1) << n << ' ' << s;
  }
}

}  // namespace
}  // namespace ladder::rows
