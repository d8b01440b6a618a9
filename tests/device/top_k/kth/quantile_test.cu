// SPDX-License-Identifier: Apache-2.0
#include "tally/device/top_k/kth/quantile.cuh"

#include "support/device_quantile.cuh"
#include "support/device_scan.cuh"

namespace {

using namespace support;
using tally::interpolation;

constexpr interpolation every_method[] = {interpolation::linear, interpolation::lower,
                                          interpolation::higher, interpolation::nearest,
                                          interpolation::midpoint};

// Small whole numbers, and a NaN or an infinity in every `special`-th place, if that is not 0.
template <class T>
std::vector<T> numbers(std::size_t n, unsigned kinds, unsigned special, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::vector<T> out(n);
  for (std::size_t i = 0; i < n; ++i) {
    out[i] = T(double(random() % kinds));
    if constexpr (tally::floating<T>)
      if (special && i % special == 1) out[i] = tally::quiet_nan<T>();
  }
  return out;
}

// Where all fractions are short, doubles are exact.
template <class T>
double wanted(std::span<T const> row, double q, interpolation method, bool skips) {
  std::vector<double> sorted;
  for (T const x : row)
    if (!tally::is_nan(x)) sorted.push_back(double(x));
  if (sorted.empty() || (sorted.size() < row.size() && !skips))
    return std::numeric_limits<double>::quiet_NaN();
  std::ranges::sort(sorted);
  double const place = q * double(sorted.size() - 1), low = std::floor(place);
  double const a = sorted[std::size_t(low)], b = sorted[std::size_t(std::ceil(place))];
  switch (method) {
    case interpolation::linear: return a + (b - a) * (place - low);
    case interpolation::lower: return a;
    case interpolation::higher: return b;
    case interpolation::nearest: return sorted[std::size_t(std::nearbyint(place))];
    case interpolation::midpoint: return (a + b) / 2;
  }
  return 0;
}

template <class T>
void expect_quantiles_by(test_call& call, std::vector<T> const& in, test_rows const& rows,
                         std::vector<double> const& qs, interpolation method, bool skips,
                         std::string const& what, int offset, std::size_t at_once) {
  using result = tally::quantile_of<T>;
  auto const found = quantiles_on_device<T>(call, in, rows, qs, method, skips, offset, at_once);
  for (std::uint64_t r = 0; r < rows.count; ++r) {
    auto const row = std::span(in).subspan(rows.begin(r), rows.size(r));
    for (std::size_t i = 0; i < qs.size(); ++i) {
      double const want = wanted<T>(row, qs[i], method, skips);
      auto const right = std::isnan(want) ? tally::quiet_nan<result>() : result(want);
      ASSERT_EQ(tally::to_bits(found[r * qs.size() + i]), tally::to_bits(right))
          << what << ", row " << r << ", q = " << qs[i] << ", method " << int(method);
    }
  }
}

// By blocks, and if a warp can hold the rows, by warps.
template <class T>
void expect_quantiles(test_call& call, std::vector<T> const& in, test_rows const& rows,
                      std::vector<double> const& qs, interpolation method, bool skips,
                      std::string const& what, int offset = 0, std::size_t at_once = 32) {
  expect_quantiles_by(call, in, as_long(rows), qs, method, skips, what, offset, at_once);
  if (rows.length <= tally::device::longest_row_of_a_warp)
    expect_quantiles_by(call, in, rows, qs, method, skips, what + ", by warps", offset, at_once);
}

template <class T>
class chosen_element : public ::testing::Test {};
using some_integers =
    ::testing::Types<std::int8_t, std::uint16_t, std::int32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(chosen_element, some_integers);

// Integers that no double has; a row without elements has a 0.
TYPED_TEST(chosen_element, is_one_bit_for_bit) {
  using T = TypeParam;
  using ends = std::numeric_limits<T>;
  std::vector<T> const in = {ends::max(), ends::lowest(), T(ends::max() - 1), T(3), T(7), T(5)};
  std::vector<std::int64_t> const lengths = {3, 0, 3};
  test_rows rows{3, 3, 0};
  rows.starts = {0, 1, 3}, rows.lengths = lengths;
  test_call call(1);
  std::vector<double> const qs = {0.25, 1};
  auto const at = [&](interpolation method) {
    return quantiles_on_device<T, T>(call, in, as_long(rows), qs, method, false);
  };
  EXPECT_EQ(at(interpolation::lower), (std::vector<T>{ends::lowest(), in[0], 0, 0, 3, 7}));
  EXPECT_EQ(at(interpolation::higher), (std::vector<T>{in[2], in[0], 0, 0, 5, 7}));
  EXPECT_EQ(at(interpolation::nearest), (std::vector<T>{ends::lowest(), in[0], 0, 0, 3, 7}));
}

template <class T>
class quantile_on_a_device : public ::testing::Test {};
using every_element = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                       std::int32_t, std::uint32_t, std::int64_t, std::uint64_t,
                                       tally::float16, tally::bfloat16, float, double>;
TYPED_TEST_SUITE(quantile_on_a_device, every_element);

TYPED_TEST(quantile_on_a_device, lies_between_elements_of_the_sorted_row) {
  test_call call(1);
  for (std::size_t n : {1, 2, 700})
    for (unsigned kinds : {2u, 60u}) {
      auto const in = numbers<TypeParam>(n, kinds, 0);
      for (auto const method : every_method)
        expect_quantiles(call, in, test_rows{1, n, n}, {0, 0.5, 0.6875, 1}, method, false,
                         std::to_string(n) + " of " + std::to_string(kinds));
    }
}

TYPED_TEST(quantile_on_a_device, is_nan_or_that_of_the_others) {
  test_call call(1);
  for (std::size_t n : {1, 2, 3, 100})
    for (bool skips : {false, true}) {
      auto const in = numbers<TypeParam>(n, 50, 7);
      expect_quantiles(call, in, test_rows{1, n, n}, {0, 0.5, 1}, interpolation::linear, skips,
                       std::to_string(n));
    }
}

TYPED_TEST(quantile_on_a_device, is_found_by_several_blocks) {
  test_call call(2);  // four blocks
  std::size_t const tile = tally::device::row_batch<tally::bits_of<TypeParam>>::items * 512;
  std::size_t const n = 4 * tile + 66;
  for (unsigned kinds : {2u, 100u})
    expect_quantiles(call, numbers<TypeParam>(n, kinds, 0), test_rows{1, n, n}, {0.125, 0.5},
                     interpolation::linear, false, std::to_string(kinds) + " kinds");
}

TEST(quantiles_of_rows_on_a_device, may_begin_and_end_anywhere) {
  test_call call(1);
  for (int offset : {0, 1, 3}) {
    auto const in = numbers<float>(40 * 37, 100, 50);
    test_rows rows{40, 35, 37};
    for (int r = 0; r < 40; ++r) rows.starts.push_back(r % 3), rows.lengths.push_back(r * 7 % 36);
    rows.lengths[39] = 30;
    for (bool skips : {false, true})
      expect_quantiles(call, in, rows, {0.5, 0.75}, interpolation::linear, skips, "rows", offset);
  }
}

// More than one launch has: each puts its own between those of the others.
TEST(quantiles_of_rows_on_a_device, may_be_of_several_launches) {
  test_call call(2);
  auto const in = numbers<std::uint8_t>(3 * 9, 100, 0);
  expect_quantiles(call, in, test_rows{3, 9, 9}, {0, 0.25, 0.5, 0.875, 1}, interpolation::linear,
                   false, "launches", 0, 2);
}

TEST(quantiles_of_rows_on_a_device, share_blocks_among_a_few_rows) {
  test_call call(6);  // 12 blocks
  auto const in = numbers<double>(3 * 20000, 1000, 0);
  for (auto const method : {interpolation::linear, interpolation::nearest})
    expect_quantiles(call, in, test_rows{3, 19000, 20000}, {0.25, 1}, method, false, "three");
}

TEST(quantiles_on_a_device, are_exact_and_rounded_once) {
  test_call call(1);
  double const most = std::numeric_limits<double>::max(), inf = tally::infinity<double>();
  std::vector<double> const half = {0.5}, tenth = {0.1}, least = {0x1p-1074};
  auto const median_of = [&](double a, double b) {
    return quantiles_on_device<double>(call, {a, b}, as_long({1, 2, 2}), half,
                                       interpolation::linear, false)[0];
  };
  EXPECT_EQ(median_of(most, most), most);
  EXPECT_EQ(median_of(-most, most), 0);
  EXPECT_EQ(median_of(1, 1 + 0x1p-52), 1);  // a tie, to even
  EXPECT_EQ(median_of(1 + 0x1p-52, 1 + 0x1p-51), 1 + 0x1p-51);
  EXPECT_EQ(median_of(0, 0x1p-1074), 0);
  EXPECT_EQ(median_of(1, inf), inf);
  EXPECT_EQ(median_of(-inf, 1), -inf);
  EXPECT_TRUE(std::isnan(median_of(-inf, inf)));
  // (2^63 - 1 + 2^63 - 3) / 2, rounded once.
  EXPECT_EQ(quantiles_on_device<std::int64_t>(call, {INT64_MAX, INT64_MAX - 2}, as_long({1, 2, 2}),
                                              half, interpolation::linear, false)[0],
            0x1p63);
  // Ten times the double next to a tenth is not 1.
  std::vector<float> eleven(11);
  std::iota(eleven.begin(), eleven.end(), 0.0f);
  for (auto const method : {interpolation::lower, interpolation::higher, interpolation::nearest})
    EXPECT_EQ(
        quantiles_on_device<float>(call, eleven, as_long({1, 11, 11}), tenth, method, false)[0], 1);
  EXPECT_EQ(quantiles_on_device<double>(call, {0, 1}, as_long({1, 2, 2}), least,
                                        interpolation::linear, false)[0],
            0x1p-1074);
}

TYPED_TEST(quantile_on_a_device, is_at_a_fraction_what_the_host_finds_there) {
  test_call call(1);
  std::vector<tally::fraction> const qs = {
      {0, 7}, {1, 10}, {1, 3}, {95, 100}, {UINT64_MAX - 1, UINT64_MAX}, {5, 5}};
  for (std::size_t n : {1, 40})
    for (auto const method : every_method) {
      auto const in = numbers<TypeParam>(n, 100, 0);
      auto const found =
          quantiles_on_device<TypeParam>(call, in, as_long({1, n, n}), qs, method, false);
      for (std::size_t i = 0; i < qs.size(); ++i)
        ASSERT_EQ(tally::to_bits(found[i]),
                  tally::to_bits(quantile_by_sort(in, qs[i], method, false)))
            << n << ", method " << int(method) << ", place " << i;
    }
}

TEST(quantiles_on_a_device, at_a_fraction_are_exact_where_doubles_are_not) {
  test_call call(1);
  std::vector<double> x(21, 1);
  x[3] = x[17] = 1'000'000;
  std::vector<tally::fraction> const exact = {{95, 100}};
  std::vector<double> const rounded = {0.95};
  auto const at = [&](tally::detail::quantile_places const& qs) {
    return quantiles_on_device<double>(call, x, as_long({1, 21, 21}), qs, interpolation::linear,
                                       false)[0];
  };
  EXPECT_EQ(at(exact), 1'000'000);
  EXPECT_LT(at(rounded), 1'000'000);
}

TEST(quantiles_on_a_device, order_blocks_in_any_way) {
  auto const in = numbers<std::int32_t>(5 * 8192, 1000, 0);
  for (int order = 0; order < schedule::orders; ++order)
    for (unsigned seed : {1u, 2u}) {
      schedule const how(seed, 1, order);
      test_call call(2);
      expect_quantiles(call, in, test_rows{1, in.size(), in.size()}, {0.25, 0.75},
                       interpolation::midpoint, false, "scheduled");
    }
}

}  // namespace
