// SPDX-License-Identifier: Apache-2.0
#include "tally/device/top_k/kth/short_kth.cuh"

#include "support/device_quantile.cuh"
#include "support/device_scan.cuh"
#include "support/long_rows.cuh"

namespace {

using namespace support;

// By warps alone; expect_kth does so by blocks, too.
template <class T>
void expect_kth_of_rows(std::vector<T> const& in, test_rows const& rows, std::string const& what) {
  test_call call(2);
  for (auto const order : {tally::largest, tally::smallest})
    for (auto const nan : {tally::propagate, tally::skip})
      for (std::uint64_t const k : {std::uint64_t(1), rows.length / 3 + 1, rows.length})
        expect_kth_by(call, in, rows, k, {.order = order, .nan = nan}, what, 0);
}

template <class T>
class kth_value_by_warps : public ::testing::Test {};
using elements = ::testing::Types<std::int8_t, std::uint16_t, std::int32_t, std::uint64_t,
                                  tally::float16, tally::bfloat16, float, double>;
TYPED_TEST_SUITE(kth_value_by_warps, elements);

TYPED_TEST(kth_value_by_warps, is_where_a_stable_sort_puts_it) {
  for (std::uint64_t const n : {1, 31, 32, 33, 256, 257, 1024})
    for (unsigned kinds : {1u, 3u, 90u}) {
      auto const in = few_values<TypeParam>(5 * n, kinds, unsigned(n));
      expect_kth_of_rows(in, {5, n, n}, std::to_string(n) + " of " + std::to_string(kinds));
    }
  expect_kth_of_rows(random_bits<TypeParam>(40 * 100, 1), {40, 97, 100}, "any bits");
  expect_kth_of_rows(with_nans<TypeParam>(40 * 100), {40, 97, 100}, "NaNs");
}

TEST(kth_value_by_warps_of_rows, may_be_too_short_or_apart) {
  auto const in = random_bits<float>(40 * 37, 3);
  test_rows own{40, 35, 37};
  for (int r = 0; r < 40; ++r) own.starts.push_back(r % 3), own.lengths.push_back(r * 7 % 36);
  expect_kth_of_rows(in, own, "rows of their own");
  test_rows columns{37, 40, 1};
  columns.step = 37;
  expect_kth_of_rows(in, columns, "columns");
}

TEST(kth_value_by_warps_of_rows, tells_how_it_has_been_started) {
  test_call call(2);
  std::string text;
  call.explanation = &text;
  expect_kth_by(call, few_values<float>(300, 9, 1), test_rows{3, 100, 100}, 10, {}, "explained", 0);
  EXPECT_EQ(text, "32 lanes a row, in registers");
}

}  // namespace
