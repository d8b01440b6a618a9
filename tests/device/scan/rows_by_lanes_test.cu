// SPDX-License-Identifier: Apache-2.0
//
// Rows that are scanned by lanes of a warp, or by a warp: of every length around a lane's elements,
// a warp's and a part's, and of several parts.
#include "tally/device/scan/rows_by_lanes.cuh"

#include "support/device_scan_rows.cuh"
#include "tally/aggregate/extrema.hpp"

namespace {

using namespace support;

template <class T>
struct exact_rows_by_lanes : ::testing::Test {};
using floats = ::testing::Types<tally::bfloat16, float, double>;
TYPED_TEST_SUITE(exact_rows_by_lanes, floats);

// Of those of 4 bytes, a lane has 8 elements, a warp 256.
constexpr std::size_t lengths[] = {1,  2,  3,   4,   5,   7,   8,   9,   31,  32,  33,  63, 64,
                                   65, 96, 127, 128, 129, 255, 256, 257, 511, 512, 513, 900};

TYPED_TEST(exact_rows_by_lanes, are_those_of_each_row_alone) {
  using T = TypeParam;
  using exact = tally::exact_running_sum<T, T>;
  for (kind which : {kind::normal, kind::wide, kind::any_bits}) {
    auto const in = values<T>(which, 40 * 900);
    for (std::size_t length : lengths) {
      test_call call(1);
      std::size_t const count = length < 40 ? 70 : 11;
      scan_kind<T> how{.exclusive = length % 3 == 0, .reverse = length % 4 == 1};
      if (length % 2) how.init = tally::convert<T>(0.3);
      expect_rows(exact{}, in, {count, length, length, length}, call, how);
      how.reverse = !how.reverse;
      expect_rows(exact{}, in, {count, length, length + 3, length + 1}, call, how);
    }
  }
}

TYPED_TEST(exact_rows_by_lanes, go_on_behind_a_part) {
  using T = TypeParam;
  using exact = tally::exact_running_sum<T, T>;
  for (kind which : {kind::normal, kind::wide, kind::any_bits}) {
    auto const in = values<T>(which, 33 * 1900);
    for (bool reverse : {false, true}) {
      test_call call(1);
      scan_kind<T> const how{
          .exclusive = reverse, .reverse = reverse, .init = tally::convert<T>(0.3)};
      expect_rows(exact{}, in, {33, 1800, 1900, 1800}, call, how);
    }
  }
}

TYPED_TEST(exact_rows_by_lanes, know_nothing_of_what_others_had_that_was_not_finite) {
  using T = TypeParam;
  using exact = tally::exact_running_sum<T, T>;
  for (std::size_t length : {6, 100, 300, 2000})
    for (auto const nan : {tally::propagate, tally::skip}) {
      auto in = values<T>(kind::wide, 34 * length);
      in[length / 2] = tally::infinity<T>(true);
      in[2 * length + 1] = tally::quiet_nan<T>();
      in[2 * length + 2] = tally::infinity<T>(false);
      in[7 * length] = tally::quiet_nan<T>();
      test_call call(1);
      expect_rows(exact{}, in, {34, length, length, length}, call, {.nan = nan});
      expect_rows(exact{}, in, {34, length, length, length}, call,
                  {.reverse = true, .init = tally::infinity<T>(false), .nan = nan});
    }
}

TEST(rows_by_lanes, may_take_the_place_of_what_they_read) {
  using exact = tally::exact_running_sum<float, float>;
  auto const in = values<float>(kind::any_bits, 40 * 2000);
  for (std::size_t length : {3, 20, 128, 300, 800, 1000})
    for (bool reverse : {false, true}) {
      test_call call(1);
      expect_rows(exact{}, in, {37, length, length + 1, length + 1}, call, {.reverse = reverse},
                  true);
    }
}

TEST(rows_by_lanes, are_of_integers_of_every_size) {
  using bytes = tally::integer_running_sum<std::int8_t, std::int8_t>;
  using widened = tally::integer_running_sum<std::int8_t, std::int64_t>;
  using narrow = tally::integer_running_sum<std::int32_t, std::int32_t>;
  using least = tally::running_extremum<std::uint16_t, true>;
  auto const small = any_integers<std::int8_t>(40 * 2400);
  for (std::size_t length : {1, 15, 16, 17, 63, 64, 65, 192, 193, 449, 512, 513, 1537, 2400}) {
    test_call call(1);
    expect_rows_of_every_kind(bytes{}, small, {35, length, length, length}, std::int8_t(7), call);
    expect_rows_of_every_kind(widened{}, small, {35, length, length, length}, 7, call);
    expect_rows_of_every_kind(narrow{}, any_integers<std::int32_t>(40 * 2400),
                              {35, length, length, length}, 7, call);
    expect_rows_of_every_kind(least{}, any_integers<std::uint16_t>(40 * 2400),
                              {35, length, length, length}, std::uint16_t(40000), call);
  }
}

TEST(rows_by_lanes, may_each_have_a_length) {
  using sums = tally::integer_running_sum<std::int32_t, std::int32_t>;
  for (std::int64_t longest : {20, 128, 380, 900, 4000}) {
    std::vector<std::int64_t> offsets{0};
    for (int r = 0; r < 50; ++r) offsets.push_back(offsets.back() + r * r * 37 % (longest + 1));
    auto const n = std::size_t(offsets.back());
    auto const in = any_integers<std::int32_t>(n);
    tally::device_array<std::int32_t> const data(in), out(std::vector<std::int32_t>(n, -1)),
        totals(std::vector<std::int32_t>(50, -1));
    tally::device_array<std::int64_t> const at(offsets);
    tally::row_layout const rows{.count = 50,
                                 .length = std::uint64_t(longest),
                                 .starts = at.data(),
                                 .lengths = at.data() + 1,
                                 .lengths_from = at.data()};
    test_call call(1);
    tally::detail::scan_rows_on_gpu(
        call, sums{}, tally::propagate, tally::array_input<std::int32_t>{data.data(), n}, rows,
        const_cast<std::int32_t*>(out.data()), rows,
        tally::detail::gpu_scan<std::int32_t>{
            false, false, {}, const_cast<std::int32_t*>(totals.data())});
    tally::check(cudaDeviceSynchronize());
    auto const found = out.to_host(), sum = totals.to_host();
    for (std::size_t r = 0; r < 50; ++r) {
      std::uint32_t through = 0;
      for (auto i = offsets[r]; i < offsets[r + 1]; ++i) {
        through += std::uint32_t(in[std::size_t(i)]);
        ASSERT_EQ(found[std::size_t(i)], std::int32_t(through)) << longest << ", row " << r;
      }
      EXPECT_EQ(sum[r], std::int32_t(through)) << longest << ", row " << r;
    }
  }
}

}  // namespace
