// SPDX-License-Identifier: Apache-2.0
#include "tally/device/top_k/distinct/among_best.cuh"

#include "support/top_k_rows.cuh"

namespace {

using namespace support;
using top_k_path = row_path;

// Values of which each is there about so many times, in any order.
template <class T>
std::vector<T> alike(std::size_t n, unsigned times, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::vector<T> out(n);
  for (auto& x : out) x = T(double(random() % (n / times)) - double(n / times / 2));
  return out;
}

// One way for all rows, and how many of them are then found among their best.
template <class T>
void expect_distinct(test_call& call, std::vector<T> const& in, test_rows const& rows,
                     std::uint64_t k, top_k_options options, std::uint64_t among_best,
                     std::string const& what) {
  paths taken;
  options.distinct = true;
  expect_top_k(call, in, rows, k, options, what, 0, false, &taken);
  EXPECT_EQ(taken[unsigned(top_k_path::distinct_among_best)], among_best) << what << ", k = " << k;
}

template <class T>
class distinct_top_k : public ::testing::Test {};
using some_elements = ::testing::Types<std::int32_t, std::uint32_t, float, double>;
TYPED_TEST_SUITE(distinct_top_k, some_elements);

TYPED_TEST(distinct_top_k, is_found_among_the_best_of_one_row) {
  for (std::size_t n : {1500, 9000}) {
    std::vector<TypeParam> in(n);
    for (std::size_t i = 0; i < n; ++i)
      in[i] = tally::from_bits<TypeParam>(tally::bits_of<TypeParam>(i * 7919 % n));
    in[n / 2] = in[n / 3];
    for (auto const& options : all_options<TypeParam>())
      for (std::uint64_t k : {1, 10, 200}) {
        test_call call(1);
        expect_distinct(call, in, {1, n, n}, k, options, options.sorted, std::to_string(n));
      }
  }
}

TEST(distinct_top_k_of_16_bits, is_found_among_the_best_where_few_are_asked_for) {
  std::size_t const n = 9000;
  std::vector<tally::float16> in(n);
  for (std::size_t i = 0; i < n; ++i)
    in[i] = tally::from_bits<tally::float16>(std::uint16_t(i * 7919 % n));
  for (auto const& options : all_options<tally::float16>())
    for (std::uint64_t k : {1, 16, 17}) {
      test_call call(1);
      expect_distinct(call, in, {1, n, n}, k, options, options.sorted && k <= 16, "float16");
    }
}

TYPED_TEST(distinct_top_k, is_sorted_for_where_many_are_alike) {
  auto const in = alike<TypeParam>(6000, 50);
  for (auto const& options : all_options<TypeParam>())
    for (std::uint64_t k : {2, 100, 300}) {
      test_call call(1);
      expect_distinct(call, in, {1, in.size(), in.size()}, k, options, 0, "50 times each");
    }
}

// Of some rows many are alike, some have fewer different values than are asked for, and some have
// fewer elements than are looked among.
TEST(distinct_top_k_of_rows, may_be_found_in_either_way) {
  for (int multiprocessors : {1, 8}) {
    test_rows rows{11, 1700, 1731, {}, {}, {}};
    std::vector<float> in(rows.count * rows.stride);
    for (std::uint64_t r = 0; r < rows.count; ++r) {
      auto const row = alike<float>(rows.length, r % 3 == 0 ? 1 : r % 3 == 1 ? 2 : 60, unsigned(r));
      std::ranges::copy(row, in.begin() + std::ptrdiff_t(rows.begin(r)));
      rows.lengths.push_back(r % 5 == 0 ? std::int64_t(40 + r) : std::int64_t(rows.length));
      rows.ks.push_back(std::int64_t(r % 4 == 3 ? 0 : 80 + r));
    }
    for (auto options : all_options()) {
      options.distinct = true;
      test_call call(multiprocessors);
      expect_top_k(call, in, rows, 100, options, "rows");
    }
  }
}

TEST(distinct_top_k_of_rows, leaves_none_where_nothing_is_alike) {
  test_rows const rows{40, 900, 900};
  std::vector<std::int32_t> in(rows.count * rows.length);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = std::int32_t(i * 2654435761u);
  test_call call(1);
  expect_distinct(call, in, rows, 30, {}, rows.count, "all different");
}

// A block's threads look at 256 of the best at once: a value is on both sides of that.
TEST(distinct_top_k_of_one_row, takes_a_value_once_where_its_elements_are_far_down) {
  std::vector<float> in(2000);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = -float(i);
  in[256] = in[255];
  test_call call(1);
  expect_distinct(call, in, {1, in.size(), in.size()}, 300, {}, 1, "one value twice");
}

// NaNs of any payload are one value, and so are zeros of both signs.
TEST(distinct_top_k_of_one_row, knows_nans_and_zeros_by_their_keys) {
  std::vector<float> in(2000);
  for (std::size_t i = 0; i < in.size(); ++i)
    in[i] = i % 50 == 7    ? tally::from_bits<float>(0x7fc00000u + std::uint32_t(i))
            : i % 50 == 11 ? (i % 100 == 11 ? -0.0f : 0.0f)
                           : -float(i);
  for (auto options : all_options()) {
    options.distinct = true;
    for (std::uint64_t k : {1, 2, 3, 100}) {
      test_call call(1);
      expect_top_k(call, in, test_rows{1, in.size(), in.size()}, k, options, "NaNs and zeros");
    }
  }
}

}  // namespace
