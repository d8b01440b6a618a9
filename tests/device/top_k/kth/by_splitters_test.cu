// SPDX-License-Identifier: Apache-2.0
#include "tally/device/top_k/kth/by_splitters.cuh"

#include "support/device_quantile.cuh"
#include "support/device_scan.cuh"
#include "support/long_rows.cuh"

namespace {

using namespace support;
using tally::interpolation;

template <class T>
void expect_quantiles(test_call& call, std::vector<T> const& in, test_rows const& rows,
                      std::vector<double> const& qs, interpolation method, bool skips,
                      std::string const& what, int offset = 0) {
  auto const found = quantiles_on_device<T>(call, in, rows, qs, method, skips, offset);
  for (std::uint64_t r = 0; r < rows.count; ++r) {
    auto const row = rows.row(in, r);
    for (std::size_t i = 0; i < qs.size(); ++i)
      ASSERT_EQ(tally::to_bits(found[r * qs.size() + i]),
                tally::to_bits(quantile_by_sort<T>({row.begin(), row.end()}, qs[i], method, skips)))
          << what << ", row " << r << ", q = " << qs[i];
  }
}
template <class T>
void expect_quantiles_of_one(test_call& call, std::vector<T> const& in,
                             std::vector<double> const& qs, std::string const& what,
                             bool skips = false, int offset = 0) {
  expect_quantiles(call, in, {1, in.size(), in.size()}, qs, interpolation::linear, skips, what,
                   offset);
}

std::vector<double> const ten = {0.5, 0.1, 0.25, 0, 1, 0.75, 0.9, 0.001, 0.999, 0.5001};

template <class T>
class quantiles_by_one_read : public ::testing::Test {};
using elements = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                  std::int32_t, std::uint32_t, std::int64_t, std::uint64_t,
                                  tally::float16, tally::bfloat16, float, double>;
TYPED_TEST_SUITE(quantiles_by_one_read, elements);

TYPED_TEST(quantiles_by_one_read, are_those_of_the_sorted_row) {
  test_call call(1);  // two blocks
  for (auto const& [name, in] : long_rows<TypeParam>(2 * 512 * 96 + 77))
    expect_quantiles_of_one(call, in, ten, name);
}

TYPED_TEST(quantiles_by_one_read, pass_over_nans_or_are_nan) {
  test_call call(1);
  auto const in = with_nans<TypeParam>(2 * 512 * 96 + 5);
  for (bool skips : {false, true}) expect_quantiles_of_one(call, in, ten, "NaNs", skips);
}

template <class T>
class quantiles_by_table : public ::testing::Test {};
using tabled = ::testing::Types<std::int16_t, tally::float16, tally::bfloat16, std::int32_t, float>;
TYPED_TEST_SUITE(quantiles_by_table, tabled);

TEST(quantiles_by_one_read_of_floats, may_begin_anywhere_and_be_many) {
  test_call call(1);
  auto const in = random_bits<float>(2 * 512 * 96 + 1001, 4);
  std::vector<double> many;
  for (int i = 0; i <= 30; ++i) many.push_back(i / 30.0);
  for (int offset : {0, 1, 3}) expect_quantiles_of_one(call, in, many, "31", true, offset);
}

TEST(quantiles_by_one_read_of_floats, are_of_each_row) {
  test_call call(2);  // two blocks a row
  std::size_t const n = 2 * 512 * 96 + 300;
  auto const in = random_bits<float>(2 * n, 5);
  for (auto const method : {interpolation::linear, interpolation::nearest})
    expect_quantiles(call, in, {2, n - 7, n}, ten, method, true, "two rows");
}

TEST(quantiles_by_one_read_of_floats, are_of_rows_told_to_be_far_longer) {
  test_call call(1);
  std::size_t const n = 2 * 512 * 96 + 300;
  test_rows rows{2, tally::device::bracketing::longest + 1, n};
  rows.lengths = {std::int64_t(n), std::int64_t(n - 7)};
  expect_quantiles(call, random_bits<float>(2 * n, 8), rows, {0.5, 0.25}, interpolation::linear,
                   true, "two rows");
}

// What shorter rows need is for digits alone.
TEST(quantiles_by_one_read_of_floats, take_room_only_where_rows_are_long) {
  auto const room_for = [](std::size_t n) {
    test_call call(1);
    std::string text;
    call.explanation = &text;
    expect_quantiles_of_one(call, few_values<float>(n, 100, 1), ten, "explained");
    return std::stoull(text.substr(text.rfind(", ") + 2));
  };
  EXPECT_LT(room_for(2 * 512 * 95), 100'000u);
  EXPECT_GT(room_for(2 * 512 * 96), 200'000u);
}

TEST(quantiles_by_one_read_of_floats, are_found_by_a_block_alone) {
  test_call call(1);
  std::size_t const n = 512 * 96 + 9;
  expect_quantiles(call, random_bits<float>(3 * n, 6), {3, n, n}, ten, interpolation::linear, true,
                   "a block a row");
}

// Where a table of the upper two bytes tells classes: of wide ranges, of many elements with few
// upper bytes, and of NaNs and infinities, some of which begin alike.
TYPED_TEST(quantiles_by_table, are_those_of_the_sorted_row) {
  test_call call(1);
  std::size_t const n = 2 * 512 * tally::device::bracketing::least_of_thread_for_table + 77;
  expect_quantiles_of_one(call, random_bits<TypeParam>(n, 1), ten, "any bits", true);
  expect_quantiles_of_one(call, few_values<TypeParam>(n, 50'000, 2), ten, "whole numbers");
  expect_quantiles_of_one(call, with_nans<TypeParam>(n), ten, "NaNs", true);
}

// A sample of the first of each vector's stretch is all that is far from the rest.
TEST(quantiles_by_one_read_of_floats, are_right_where_the_sample_is_wrong) {
  test_call call(1);
  std::size_t const n = 2 * 512 * 96, vectors = n / 4;
  tally::device::scattered const places(vectors,
                                        tally::device::looks_of_sample<std::uint32_t>(1024, n));
  std::vector<float> in(n);
  for (std::size_t i = 0; i < n; ++i) in[i] = float(i * 7919 % n);
  for (std::size_t look = 0; look < tally::device::looks_of_sample<std::uint32_t>(1024, n); ++look)
    for (int e = 0; e < 4; ++e) in[places(look) * 4 + std::size_t(e)] = 1e9f + float(look);
  expect_quantiles_of_one(call, in, ten, "a fooled sample");
}

TEST(quantiles_by_one_read_of_floats, order_blocks_in_any_way) {
  auto const in = random_bits<float>(2 * 512 * 96 + 77, 9);
  for (int order = 0; order < schedule::orders; ++order) {
    schedule const how(unsigned(order) + 1, 1, order);
    test_call call(1);
    expect_quantiles_of_one(call, in, {0.1, 0.25, 0.75, 0.8}, "scheduled", true);
  }
}

}  // namespace
