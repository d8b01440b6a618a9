// SPDX-License-Identifier: Apache-2.0
//
// Which kernel is chosen for which rows, on a GPU as large as an H100: nothing is started.
#include "tally/device/top_k/plan.cuh"

#include <gtest/gtest.h>

namespace {

using namespace tally;
using namespace tally::detail;

constexpr gpu_limits h100{132, 132, 227 * 1024, true};

template <class Bits = std::uint32_t>
gpu_selection<Bits> selection(std::uint64_t k, bool sorted = true) {
  return {k, nullptr, sorted, 0, nullptr, nullptr, nullptr, nullptr};
}
row_layout rows_of(std::uint64_t count, std::uint64_t length) {
  return {.count = count, .length = length, .stride = std::int64_t(length)};
}
template <class Bits = std::uint32_t>
top_k_way way(std::uint64_t count, std::uint64_t length, std::uint64_t k, bool sorted = true,
              gpu_limits const& gpu = h100) {
  return choose_top_k(rows_of(count, length), selection<Bits>(k, sorted), gpu).way;
}

template <class Bits = std::uint32_t>
device::row_lanes lanes(std::uint64_t count, std::uint64_t length) {
  return choose_top_k(rows_of(count, length), selection<Bits>(8), h100).in;
}

TEST(a_plan, gives_short_rows_lanes_of_a_warp) {
  EXPECT_EQ(way(65536, 1024, 32), top_k_way::short_rows);
  EXPECT_EQ(way(1, 1, 1), top_k_way::short_rows);
  EXPECT_EQ(way(65536, 1025, 32), top_k_way::warp_rows);
  EXPECT_EQ(way(65536, 1024, 33), top_k_way::warp_rows);
  EXPECT_EQ(way(1, 1025, 32), top_k_way::block_rows);
  EXPECT_EQ(way(1, 1024, 33), top_k_way::block_rows);
  EXPECT_EQ(way<std::uint64_t>(65536, 512, 16), top_k_way::short_rows);
  EXPECT_EQ(way<std::uint64_t>(65536, 513, 16), top_k_way::warp_rows);
  EXPECT_EQ(way<std::uint64_t>(65536, 512, 17), top_k_way::warp_rows);
}

TEST(a_plan, gives_a_short_row_the_fewest_lanes_that_hold_it_unless_rows_are_few) {
  constexpr std::uint64_t many = 12 * 132, few = many - 1;
  using device::row_lanes;
  EXPECT_EQ(lanes(many, 128), (row_lanes{8, 16}));
  EXPECT_EQ(lanes(many, 129), (row_lanes{8, 32}));
  EXPECT_EQ(lanes(many, 257), (row_lanes{16, 32}));
  EXPECT_EQ(lanes(many, 513), (row_lanes{32, 32}));
  EXPECT_EQ(lanes(few, 1), (row_lanes{32, 8}));
  EXPECT_EQ(lanes(few, 256), (row_lanes{32, 8}));
  EXPECT_EQ(lanes(few, 257), (row_lanes{16, 32}));
  EXPECT_EQ(lanes<std::uint8_t>(few, 256), (row_lanes{16, 16}));
  EXPECT_EQ(lanes<std::uint64_t>(many, 256), (row_lanes{16, 16}));
  EXPECT_EQ(lanes<std::uint64_t>(many, 257), (row_lanes{32, 16}));
  EXPECT_EQ(lanes<std::uint64_t>(few, 256), (row_lanes{32, 8}));
}

TEST(a_plan, gives_other_rows_a_warp_or_a_block_each) {
  EXPECT_EQ(way(12 * 132, 2048, 16), top_k_way::warp_rows);
  EXPECT_EQ(way(12 * 132 - 1, 2048, 16), top_k_way::block_rows);
  EXPECT_EQ(way(65536, 32768, 128), top_k_way::warp_rows);
  EXPECT_EQ(way(65536, 32769, 128), top_k_way::teams);
  EXPECT_EQ(way(65536, 16384, 129), top_k_way::block_rows);
  EXPECT_EQ(way(1, 16384, 4096), top_k_way::block_rows);
  EXPECT_EQ(way(1, 16384, 16384), top_k_way::large);  // for which a block has no room
  EXPECT_EQ(way(1, 16385, 10), top_k_way::teams);
  EXPECT_EQ(way<std::uint64_t>(1, 8192, 10), top_k_way::block_rows);
  EXPECT_EQ(way<std::uint64_t>(1, 8193, 10), top_k_way::teams);
  auto little = h100;
  little.shared_memory = 8000;
  EXPECT_EQ(way(1, 16384, 100, true, little), top_k_way::teams);
}

TEST(a_plan, has_long_rows_shared_by_teams_of_resident_blocks) {
  auto const plan = [](std::uint64_t count, std::uint64_t length, std::uint64_t k) {
    return choose_top_k(rows_of(count, length), selection(k), h100);
  };
  auto const one = plan(1, 1 << 28, 10);
  EXPECT_EQ(one.on.teams, 1u);
  EXPECT_EQ(one.on.blocks, 256u);
  EXPECT_TRUE(one.samples && !one.wide);
  EXPECT_EQ(plan(1, 1 << 16, 10).on.blocks, 8u);  // each has a tile of 8192 elements
  EXPECT_EQ(plan(1, 202048, 50).on.blocks, 25u);
  EXPECT_EQ(plan(1, 1 << 20, 4096).on.blocks, 128u);
  EXPECT_EQ(plan(1, 1 << 15, 10).on.blocks, 8u);
  EXPECT_EQ(plan(33, 1 << 15, 10).on.blocks, 4u);
  EXPECT_EQ(plan(8, 1 << 28, 10).on.blocks, 33u);
  EXPECT_EQ(plan(1000, 1 << 20, 10).on.blocks, 1u);
  EXPECT_EQ(plan(1000, 1 << 20, 10).on.teams, 4u * 132u);
  auto const wide = plan(1, std::uint64_t(1) << 33, 10);
  EXPECT_TRUE(wide.wide && !wide.samples);
  // Where a launch of so many at once is refused, of fewer.
  auto fewer = h100;
  fewer.together = 1;
  EXPECT_EQ(choose_top_k(rows_of(1, 1 << 28), selection(10), fewer).on.blocks, 2u);
  EXPECT_EQ(choose_top_k(rows_of(3, 1 << 28), selection(10), fewer).on.blocks, 1u);
}

TEST(a_plan, narrows_a_row_for_a_large_k) {
  EXPECT_EQ(way(1, 1 << 24, 8704), top_k_way::teams);
  EXPECT_EQ(way(1, 1 << 24, 8705), top_k_way::large);
  EXPECT_EQ(way(2, 1 << 24, 8705), top_k_way::teams);  // only one row is sorted behind it
  EXPECT_EQ(way(1, 1 << 24, 2304, false), top_k_way::teams);
  EXPECT_EQ(way(1, 1 << 24, 2305, false), top_k_way::large);
  EXPECT_EQ(way(2, 1 << 24, 2305, false), top_k_way::large);
  EXPECT_EQ(way(1, 1 << 19, 2305, false), top_k_way::large);
  EXPECT_EQ(way(1, (1 << 19) + 1, 1 << 17, false), top_k_way::large);
  EXPECT_EQ(way(1, 1 << 19, (1 << 17) + 1, false), top_k_way::teams);  // too many to be narrowed
  EXPECT_EQ(way(1, 1 << 20, 1 << 16), top_k_way::large);
  auto without_sort = h100;
  without_sort.sorts = false;
  EXPECT_EQ(way(1, 1 << 24, 8705, true, without_sort), top_k_way::teams);
}

TEST(a_plan, is_told_in_words) {
  auto const text = [](std::uint64_t count, std::uint64_t length, std::uint64_t k) {
    return to_text(choose_top_k(rows_of(count, length), selection(k), h100));
  };
  EXPECT_EQ(text(65536, 256, 16), "8 lanes a row, in registers");
  EXPECT_EQ(text(1, 100, 16), "32 lanes a row, in registers");
  EXPECT_EQ(text(65536, 2048, 16), "a warp a row, streamed");
  EXPECT_EQ(text(1, 16384, 10), "a block a row, in registers");
  EXPECT_EQ(text(1, 1 << 28, 10), "a guessed threshold, by 1 team of 256 blocks of 512 threads");
  EXPECT_EQ(text(1000, 1 << 20, 10),
            "a guessed threshold, by 528 blocks of 512 threads with rows of their own");
  EXPECT_EQ(text(1, std::uint64_t(1) << 33, 10),
            "digits, by 1 team of 256 blocks of 512 threads, counting in 64 bits");
  EXPECT_EQ(text(1, 1 << 24, 8705), "a large k, narrowed by 1 team of 256 blocks of 512 threads");
  auto const distinct = [](std::uint64_t length) {
    return to_text(choose_distinct(rows_of(1, length), selection(64), h100));
  };
  EXPECT_EQ(distinct(1 << 20),
            "different values among the best (a guessed threshold, by 1 team of 128 blocks of 512 "
            "threads), else by sets of values, by 1 team of 128 blocks of 512 threads");
  EXPECT_EQ(distinct(1 << 27),
            "different values by sets of values, by 1 team of 264 blocks of 512 threads");
}

TEST(a_plan, looks_for_different_values_among_the_best_unless_rows_are_too_long) {
  auto const plan = [](std::uint64_t length, std::uint64_t k, bool sorted = true) {
    return choose_distinct(rows_of(1, length), selection(k, sorted), h100);
  };
  EXPECT_TRUE(plan(1 << 20, 64).among_best && plan(1 << 20, 64).by_values);
  EXPECT_FALSE(plan(1 << 20, 64, false).among_best);
  EXPECT_FALSE(plan(1 << 27, 64).among_best);
  EXPECT_TRUE(plan(1 << 27, 129).among_best);
  EXPECT_FALSE(plan(1 << 20, 2049).by_values);
  EXPECT_FALSE(plan(1000, 500).among_best);  // nearly all would be
  EXPECT_TRUE(plan(513, 500).by_values);
  EXPECT_FALSE(plan(512, 64).by_values);
  EXPECT_FALSE(plan(1 << 18, 300, false).by_values);
  EXPECT_TRUE(plan(1 << 24, 300, false).by_values);
  auto const of_16_bits = [](std::uint64_t length, std::uint64_t k) {
    return choose_distinct(rows_of(64, length), selection<std::uint16_t>(k), h100).among_best;
  };
  EXPECT_TRUE(of_16_bits(1 << 17, 8) && of_16_bits(1 << 18, 16));
  EXPECT_FALSE(of_16_bits(1 << 17, 17) || of_16_bits((1 << 18) + 1, 8));
}

}  // namespace
