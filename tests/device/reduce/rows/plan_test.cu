// SPDX-License-Identifier: Apache-2.0
#include "tally/device/reduce/rows/plan.cuh"

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace tally;
using detail::lanes_kernel, detail::lanes_plan, detail::row_shape;

constexpr unsigned each = 4;  // floats of a vector
constexpr int multiprocessors = 132;

row_layout rows_of(std::uint64_t count, std::uint64_t length) {
  return {.count = count, .length = length, .stride = std::int64_t(length)};
}
row_layout columns_of(std::uint64_t rows, std::uint64_t columns) {
  return {.count = columns, .length = rows, .stride = 1, .step = std::int64_t(columns)};
}
lanes_plan plan(row_layout const& rows, row_shape shape) {
  return detail::plan_lanes(rows, shape, each, multiprocessors, 4);
}

TEST(plan_of_rows, has_a_lane_for_each_vector_or_some_up_to_a_warp) {
  EXPECT_EQ(plan(rows_of(1 << 20, 32), row_shape::even),
            (lanes_plan{lanes_kernel::even_rows, 8, 1, 32, 8192}));
  EXPECT_EQ(plan(rows_of(65536, 256), row_shape::even),
            (lanes_plan{lanes_kernel::even_rows, 16, 1, 256, 1024}));
  EXPECT_EQ(plan(rows_of(20000, 256), row_shape::even),
            (lanes_plan{lanes_kernel::even_rows, 32, 1, 256, 625}));
  EXPECT_EQ(plan(rows_of(65536, 255), row_shape::any),
            (lanes_plan{lanes_kernel::rows, 32, 1, 255, 8192}));
  EXPECT_EQ(plan(rows_of(1 << 20, 8), row_shape::even).kernel, lanes_kernel::rows);  // 2 lanes
}

TEST(plan_of_rows, cuts_few_long_ones_where_vectors_begin) {
  for (auto const& [count, length] :
       {std::pair{64ul, 1ul << 20}, {8ul, 1ul << 23}, {1ul, 100'003ul}}) {
    auto const cut = plan(rows_of(count, length), row_shape::even);
    EXPECT_EQ(cut.kernel, lanes_kernel::rows);
    EXPECT_GT(cut.parts, 1);
    EXPECT_EQ(cut.part % each, 0);
    EXPECT_LT((cut.parts - 1) * cut.part, length);
    EXPECT_GE(cut.parts * cut.part, length);
    EXPECT_GE(std::uint64_t(cut.blocks) * detail::lanes_of_a_block, count * cut.parts * cut.group);
  }
  EXPECT_EQ(plan(rows_of(1, 2000), row_shape::even).parts, 1);
}

TEST(plan_of_rows, gives_vectors_of_columns_to_lanes) {
  EXPECT_EQ(plan(columns_of(8, 1 << 23), row_shape::columns),
            (lanes_plan{lanes_kernel::columns, 256, 1, 8, 8192}));
  EXPECT_EQ(plan(columns_of(4096, 16384), row_shape::columns),
            (lanes_plan{lanes_kernel::columns, 32, 4, 1024, 512}));
  EXPECT_EQ(plan(columns_of(65536, 256), row_shape::columns),
            (lanes_plan{lanes_kernel::columns, 32, 264, 249, 528}));
  EXPECT_EQ(plan(columns_of(1 << 20, 32), row_shape::columns),
            (lanes_plan{lanes_kernel::columns, 8, 528, 1986, 528}));
  EXPECT_EQ(plan(columns_of(40, 256), row_shape::columns),
            (lanes_plan{lanes_kernel::columns, 32, 1, 40, 2}));
  EXPECT_EQ(plan(columns_of(1 << 20, 31), row_shape::any).group, 1);
}

TEST(plan_of_rows, has_one_of_rows_of_nothing) {
  EXPECT_EQ(plan(rows_of(3, 0), row_shape::even), (lanes_plan{lanes_kernel::rows, 1, 1, 0, 1}));
}

TEST(plan_of_segments, has_a_lane_for_some_vectors) {
  EXPECT_EQ(detail::plan_segments(1000, 1, 4), (lanes_plan{lanes_kernel::segments, 1, 1, 256, 4}));
  EXPECT_EQ(detail::plan_segments(1000, 16, 4), (lanes_plan{lanes_kernel::segments, 1, 1, 256, 4}));
  EXPECT_EQ(detail::plan_segments(1000, 256, 4),
            (lanes_plan{lanes_kernel::segments, 16, 1, 4096, 63}));
  EXPECT_EQ(detail::plan_segments(3, 4096, 2),
            (lanes_plan{lanes_kernel::segments, 32, 1, 4096, 1}));
}

TEST(plan_of_columns_in_order, cuts_few_into_subtrees) {
  auto const plan = [](std::uint64_t rows, std::uint64_t columns) {
    return detail::plan_columns_in_order(columns_of(rows, columns), multiprocessors, 16, 4096);
  };
  using detail::ordered_plan;
  EXPECT_EQ(plan(65536, 256), (ordered_plan{1, 1, 1024, 64}));
  EXPECT_EQ(plan(4096, 16384), (ordered_plan{1, 1, 16, 256}));
  EXPECT_EQ(plan(1 << 20, 32), (ordered_plan{1, 1, 4096, 256}));
  EXPECT_EQ(plan(100, 256), (ordered_plan{1, 1, 2, 64}));
  EXPECT_EQ(plan(8, 1 << 23), (ordered_plan{1, 1, 1, 64}));
  EXPECT_EQ(plan(0, 3).parts, 1);
}

TEST(plan_of_rows_in_order, has_lanes_for_what_they_read_at_once) {
  auto const plan = [](std::uint64_t rows, std::uint64_t length, std::uint64_t mean = 0) {
    return detail::plan_rows_in_order(rows_of(rows, length), mean, multiprocessors, 4, 8, 4096);
  };
  using detail::ordered_plan;
  EXPECT_EQ(plan(1 << 20, 4), (ordered_plan{1, 1, 1, 32}));
  EXPECT_EQ(plan(1 << 20, 5), (ordered_plan{2, 2, 1, 64}));
  EXPECT_EQ(plan(1 << 20, 128), (ordered_plan{32, 8, 1, 1024}));
  EXPECT_EQ(plan(65536, 256), (ordered_plan{32, 4, 1, 1024}));
  EXPECT_EQ(plan(65536, 260), (ordered_plan{32, 2, 1, 1024}));
  EXPECT_EQ(plan(65536, 1024), (ordered_plan{32, 1, 1, 1024}));
  EXPECT_EQ(plan(65536, 3000), (ordered_plan{32, 1, 1, 4096}));
  EXPECT_EQ(plan(64, 131072), (ordered_plan{32, 1, 128, 1024}));
  EXPECT_EQ(plan(3, 1 << 26), (ordered_plan{32, 1, 2048, 32768}));
  EXPECT_EQ(plan(65536, 1 << 24, 256), (ordered_plan{16, 1, 1, 1 << 24}));
  EXPECT_EQ(plan(64, 1 << 23, 131072), (ordered_plan{32, 1, 512, 16384}));
  EXPECT_EQ(plan(0, 3).parts, 1);
  EXPECT_EQ(plan(3, 0), (ordered_plan{1, 1, 1, 32}));
}

TEST(shape_of_rows, is_even_or_of_columns_where_vectors_can_be_loaded) {
  alignas(16) float const memory[64] = {};
  auto const shape = [&](int offset, row_layout const& all) {
    return detail::shape_of(rows<float const>(memory + offset, all), each);
  };
  std::vector<std::int64_t> const starts(4);
  EXPECT_EQ(shape(0, rows_of(4, 8)), row_shape::even);
  EXPECT_EQ(shape(4, rows_of(4, 8)), row_shape::even);
  EXPECT_EQ(shape(1, rows_of(4, 8)), row_shape::any);
  EXPECT_EQ(shape(0, rows_of(4, 7)), row_shape::any);
  EXPECT_EQ(shape(0, {.count = 4, .length = 8, .stride = 10}), row_shape::any);
  EXPECT_EQ(shape(0, {.count = 4, .length = 8, .stride = 8, .starts = starts.data()}),
            row_shape::any);
  EXPECT_EQ(shape(0, columns_of(8, 8)), row_shape::columns);
  EXPECT_EQ(shape(2, columns_of(6, 8)), row_shape::any);
  EXPECT_EQ(shape(0, columns_of(8, 7)), row_shape::any);
  EXPECT_EQ(shape(0, {.count = 4, .length = 4, .stride = 1, .step = 10}), row_shape::any);
  EXPECT_EQ(shape(0, {.count = 7, .length = 4, .stride = 1, .step = 8}), row_shape::any);
}

}  // namespace
