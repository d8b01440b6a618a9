// SPDX-License-Identifier: Apache-2.0
//
// Rows that are scanned by lanes of a warp, or by a warp: of every length around a lane's elements,
// a warp's and a part's, and of several parts.
#include "tally/device/scan/rows_by_lanes.cuh"

#include "support/affine_of_places.hpp"
#include "support/device_scan_rows.cuh"
#include "tally/aggregate/extrema.hpp"
#include "tally/aggregate/fast_sum.hpp"

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

template <class A>
void expect_rows_of_any_length(A const& a, std::int64_t longest, bool reverse) {
  using T = typename A::element;
  using R = typename A::result;
  std::vector<std::int64_t> offsets{0};
  for (int r = 0; r < 50; ++r) offsets.push_back(offsets.back() + r * r * 37 % (longest + 1));
  auto const n = std::size_t(offsets.back());
  auto const in = any_integers<T>(n);
  tally::device_array<T> const data(in);
  tally::device_array<R> const out{std::vector<R>(n)}, totals{std::vector<R>(50)};
  tally::device_array<std::int64_t> const at(offsets);
  tally::row_layout const rows{.count = 50,
                               .length = std::uint64_t(longest),
                               .starts = at.data(),
                               .lengths = at.data() + 1,
                               .lengths_from = at.data()};
  test_call call(1);
  scan_kind<R> const how{.reverse = reverse};
  tally::detail::scan_rows_on_gpu(call, a, how.nan, tally::array_input<T>{data.data(), n}, rows,
                                  const_cast<R*>(out.data()), rows,
                                  how.with_total(const_cast<R*>(totals.data())));
  tally::check(cudaDeviceSynchronize());
  auto const found = out.to_host(), sums = totals.to_host();
  for (std::size_t r = 0; r < 50; ++r) {
    auto const begin = offsets[r], end = offsets[r + 1];
    auto const want = scan_on_host(a, std::vector<T>(in.begin() + begin, in.begin() + end), how);
    expect_same({std::vector<R>(found.begin() + begin, found.begin() + end), sums[r]}, want,
                std::to_string(longest) + ", row " + std::to_string(r));
  }
}

TEST(rows_by_lanes, may_each_have_a_length) {
  using sums = tally::integer_running_sum<std::int32_t, std::int32_t>;
  for (std::int64_t longest : {20, 128, 380, 900, 4000})
    for (bool reverse : {false, true}) {
      expect_rows_of_any_length(sums{}, longest, reverse);
      expect_rows_of_any_length(affine_of_places{}, longest, reverse);
    }
}

struct wide_affine {  // of which a lane has one
  std::uint64_t scale, offset, third;
};
struct after {
  TALLY_FN wide_affine operator()(wide_affine const& a, wide_affine const& b) const {
    return {a.scale * b.scale, a.offset * b.scale + b.offset, a.third + b.third};
  }
};

TEST(rows_by_lanes, have_operands_in_order_and_places_in_the_row) {
  auto const in = any_integers<std::uint32_t>(11 * 4096);
  auto const parts = any_integers<std::uint64_t>(3 * 11 * 300, 2);
  std::vector<wide_affine> wide(parts.size() / 3);
  for (std::size_t i = 0; i < wide.size(); ++i)
    wide[i] = {parts[3 * i], parts[3 * i + 1], parts[3 * i + 2]};
  test_call call(1);
  for (std::size_t length : {1, 8, 9, 17, 64, 100, 129, 256, 257, 600, 4096}) {
    scan_rows const rows{11, length, length, length};
    expect_rows_of_every_kind(affine_of_places{}, in, rows, 9u, call);
    if (length > 300) continue;
    expect_rows_of_every_kind(tally::operation<wide_affine, after>{}, wide, rows, wide[5], call);
  }
}

// The sums of integers that a float holds are not rounded.
TEST(rows_by_lanes, in_an_order_may_pass_over_nan) {
  auto const whole = any_integers<std::int8_t>(20 * 900);
  std::vector<float> in(whole.begin(), whole.end());
  for (std::size_t i = 0; i < in.size(); i += 1 + i % 7) in[i] = tally::quiet_nan<float>();
  test_call call(1);
  for (std::size_t length : {1, 5, 40, 256, 700})
    expect_rows_of_every_kind(tally::tree_sum<float>{}, in, {20, length, length + 1, length + 2},
                              2.0f, call, {.nan = tally::skip});
}

template <class T>
struct rounding_rows_by_lanes : ::testing::Test {};
TYPED_TEST_SUITE(rounding_rows_by_lanes, floats);

// What meets depends on an element's place in its row alone: not on the row's length, nor on other
// rows, nor on where they begin.
TYPED_TEST(rounding_rows_by_lanes, have_the_bits_of_longer_rows_and_of_a_row_alone) {
  using T = TypeParam;
  using rounding = tally::tree_sum<T>;
  constexpr std::size_t longest = 2000;
  auto const in = values<T>(kind::wide, longest);
  test_call call(1);
  for (bool exclusive : {false, true}) {
    scan_kind<T> const how{.exclusive = exclusive, .init = tally::convert<T>(0.3)};
    auto const want =
        scan_rows_on_device(rounding{}, in, {1, longest, longest, longest}, call, how);
    for (std::size_t length : {1, 3, 7, 16, 33, 100, 128, 255, 513, 1025}) {
      std::size_t const stride = length + 1;
      std::vector<T> all;
      for (int r = 0; r < 19; ++r) {
        all.insert(all.end(), in.begin(), in.begin() + std::ptrdiff_t(length));
        all.push_back(tally::quiet_nan<T>());
      }
      auto const got =
          scan_rows_on_device(rounding{}, all, {19, length, stride, stride}, call, how);
      for (auto const& row : got)
        EXPECT_EQ(memcmp(row.out.data(), want[0].out.data(), length * sizeof(T)), 0) << length;
    }
  }
}

}  // namespace
