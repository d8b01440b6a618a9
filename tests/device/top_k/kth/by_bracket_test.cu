// SPDX-License-Identifier: Apache-2.0
#include "tally/device/top_k/kth/by_bracket.cuh"

#include "support/device_quantile.cuh"
#include "support/device_scan.cuh"
#include "support/long_rows.cuh"

namespace {

using namespace support;
using tally::top_k_options;

template <class T>
void expect_kth_of_one(test_call& call, std::vector<T> const& in, std::uint64_t k,
                       top_k_options const& options, std::string const& what, int offset = 0) {
  expect_kth(call, in, test_rows{1, in.size(), in.size()}, k, options, what, offset);
}

template <class T>
class kth_value_by_one_read : public ::testing::Test {};
using elements = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                  std::int32_t, std::uint32_t, std::int64_t, std::uint64_t,
                                  tally::float16, tally::bfloat16, float, double>;
TYPED_TEST_SUITE(kth_value_by_one_read, elements);

TYPED_TEST(kth_value_by_one_read, is_where_a_stable_sort_puts_it) {
  test_call call(1);  // two blocks
  for (auto const& [name, in] : long_rows<TypeParam>(2 * 512 * 96 + 77))
    for (std::uint64_t const k : {std::uint64_t(1), in.size() / 3, std::uint64_t(in.size())})
      expect_kth_of_one(call, in, k, {.order = k % 2 ? tally::smallest : tally::largest}, name);
}

TYPED_TEST(kth_value_by_one_read, may_be_a_nan_or_behind_all_others) {
  test_call call(1);
  auto const in = with_nans<TypeParam>(2 * 512 * 96 + 5);
  for (auto const order : {tally::largest, tally::smallest})
    for (auto const nan : {tally::propagate, tally::skip})
      for (std::uint64_t const k : {std::uint64_t(7), in.size() / 2, std::uint64_t(in.size() - 3)})
        expect_kth_of_one(call, in, k, {.order = order, .nan = nan}, "NaNs");
}

// Of equal elements each is the one, wherever it is in a chunk.
TEST(kth_value_by_one_read_of_ties, is_each_of_them_in_turn) {
  test_call call(1);
  std::size_t const n = 2 * 512 * 96 + 13, chunk = tally::device::chunk_places<std::uint32_t>;
  std::vector<float> in(n, 1.0f);
  for (std::size_t i = 0; i < n; i += 3) in[i] = 2;
  for (std::uint64_t const k :
       {std::uint64_t(1), std::uint64_t(chunk / 3), std::uint64_t(chunk), std::uint64_t(n / 3),
        std::uint64_t(n / 3 + 1), std::uint64_t(n / 3 + 2), std::uint64_t(n / 2), std::uint64_t(n)})
    for (int offset : {0, 3}) expect_kth_of_one(call, in, k, {}, "ones and twos", offset);
}

// Equal elements that are too few to be seen in the sample lie within the bracket.
TEST(kth_value_by_one_read_of_ties, is_found_among_a_few_within_the_bracket) {
  test_call call(1);
  std::size_t const n = 2 * 512 * 96 + 13;
  std::vector<float> in(n);
  for (std::size_t i = 0; i < n; ++i) in[i] = float(i * 7919 % n / 5);
  for (std::uint64_t k = n / 2; k < n / 2 + 12; ++k) expect_kth_of_one(call, in, k, {}, "fives");
}

TEST(kth_value_by_one_read_of_rows, shares_blocks_or_has_one) {
  std::size_t const n = 2 * 512 * 96 + 300;
  auto const in = random_bits<float>(3 * n, 5);
  for (int multiprocessors : {1, 3}) {
    test_call call(multiprocessors);
    expect_kth(call, in, test_rows{3, n - 7, n}, n / 3, {.nan = tally::skip}, "rows");
  }
}

TEST(kth_value_by_one_read_of_floats, orders_blocks_in_any_way) {
  auto const in = random_bits<float>(2 * 512 * 96 + 77, 9);
  for (int order = 0; order < schedule::orders; ++order) {
    schedule const how(unsigned(order) + 1, 1, order);
    test_call call(1);
    expect_kth_of_one(call, in, 30000, {}, "scheduled");
  }
}

TEST(kth_value_by_one_read_of_rows, are_of_rows_told_to_be_far_longer) {
  test_call call(1);
  std::size_t const n = 2 * 512 * 96 + 300;
  test_rows rows{2, tally::device::bracketing::longest + 1, n};
  rows.lengths = {std::int64_t(n), std::int64_t(n - 7)};
  expect_kth(call, few_values<float>(2 * n, 100, 1), rows, n / 3, {}, "two rows");
}

}  // namespace
