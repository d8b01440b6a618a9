// SPDX-License-Identifier: Apache-2.0
#include "tally/device/top_k/kth/short_quantiles.cuh"

#include "support/device_quantile.cuh"
#include "support/device_scan.cuh"

namespace {

using namespace support;
using tally::interpolation;
using tally::detail::quantile_places;

constexpr interpolation every_method[] = {interpolation::linear, interpolation::lower,
                                          interpolation::higher, interpolation::nearest,
                                          interpolation::midpoint};
std::vector<double> const some_q = {0.5, 0, 1, 0.25, 0.9};

enum class values { any, few, equal, with_nans, only_nans };
constexpr values every_values[] = {values::any, values::few, values::equal, values::with_nans,
                                   values::only_nans};

// Any bits: numbers of every size, infinities, and, if there are to be some, NaNs.
template <class T>
std::vector<T> elements(std::size_t n, values which, unsigned seed = 1) {
  using bits = tally::bits_of<T>;
  std::mt19937_64 random(seed);
  std::vector<T> out(n);
  for (T& x : out) {
    auto const word = random();
    x = tally::from_bits<T>(bits(which == values::equal ? 0x3f55 : word));
    if (which == values::few) x = T(double(word % 3));
    if constexpr (tally::floating<T>) {
      if (tally::is_nan(x)) x = tally::infinity<T>(word % 2 == 0);
      if (which == values::only_nans || (which == values::with_nans && word / 2 % 5 == 0))
        x = tally::quiet_nan<T>();
    }
  }
  return out;
}

template <class T, class Out = tally::quantile_of<T>>
void expect_of_rows(test_call& call, std::vector<T> const& in, test_rows const& rows,
                    quantile_places const& qs, interpolation method, bool skips,
                    std::string const& what, int offset = 0, std::size_t at_once = 32) {
  // Of rows that are sorted, and by counts.
  for (auto const some : {at_once, std::size_t(tally::device::fewest_of_sorted - 1)}) {
    auto const found = quantiles_on_device<T, Out>(call, in, rows, qs, method, skips, offset, some);
    for (std::uint64_t r = 0; r < rows.count; ++r)
      for (std::size_t i = 0; i < qs.size(); ++i)
        ASSERT_EQ(tally::to_bits(found[r * qs.size() + i]),
                  tally::to_bits(quantile_by_sort<T, Out>(rows.row(in, r), qs[i], method, skips)))
            << what << ", row " << r << ", place " << i << ", method " << int(method) << ", "
            << some << " at once";
  }
}

template <class T>
class short_quantile : public ::testing::Test {};
using every_element = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                       std::int32_t, std::uint32_t, std::int64_t, std::uint64_t,
                                       tally::float16, tally::bfloat16, float, double>;
TYPED_TEST_SUITE(short_quantile, every_element);

TYPED_TEST(short_quantile, is_that_of_the_sorted_row) {
  test_call call(1);
  unsigned turn = 0;
  for (std::size_t n : {0, 1, 2, 31, 32, 33, 255, 256, 257, 1000, 1024})
    for (auto const which : every_values) {
      auto const in = elements<TypeParam>(3 * n, which, unsigned(n));
      for (bool skips : {false, true})
        expect_of_rows(call, in, test_rows{3, n, n}, some_q, every_method[turn++ % 5], skips,
                       std::to_string(n) + " of kind " + std::to_string(int(which)));
    }
}

TYPED_TEST(short_quantile, is_by_every_method_what_it_is_at_a_fraction) {
  test_call call(1);
  std::vector<tally::fraction> const qs = {{1, 3}, {0, 7}, {UINT64_MAX - 1, UINT64_MAX}, {5, 5}};
  for (std::size_t n : {7, 40})
    for (auto const method : every_method)
      for (auto const which : {values::any, values::few, values::with_nans})
        expect_of_rows(call, elements<TypeParam>(2 * n, which), test_rows{2, n, n}, qs, method,
                       true, std::to_string(n) + " of kind " + std::to_string(int(which)));
}

// The least and the greatest of all, whose keys are the ends of their range.
TYPED_TEST(short_quantile, of_integers_may_be_one_of_them) {
  using T = TypeParam;
  if constexpr (tally::integer<T>) {
    test_call call(1);
    using ends = std::numeric_limits<T>;
    for (std::size_t n : {0, 5, 100, 300}) {
      auto in = elements<T>(4 * n, values::any);
      for (std::size_t i = 0; i < 2 * n; ++i) in[i] = i % 3 ? ends::max() : ends::lowest();
      for (auto const method :
           {interpolation::lower, interpolation::higher, interpolation::nearest})
        expect_of_rows<T, T>(call, in, test_rows{4, n, n}, some_q, method, false,
                             std::to_string(n));
    }
  }
}

// Few or many quantiles a warp, of which the last has fewer, and rows between two warps.
TEST(short_quantiles, are_shared_by_warps) {
  std::vector<double> many;
  for (int i = 0; i < 40; ++i) many.push_back(i / 39.0);
  for (int multiprocessors : {1, 3}) {
    test_call call(multiprocessors);
    for (std::uint64_t count = 1; count <= 70; ++count) {
      auto const in = elements<float>(count * 40, values::with_nans, unsigned(count));
      test_rows const rows{count, 40, 40};
      expect_of_rows(call, in, rows, some_q, interpolation::linear, count % 2 == 0, "rows");
      expect_of_rows(call, in, rows, std::vector{0.5}, interpolation::linear, true, "medians");
    }
    auto const in = elements<std::int16_t>(190 * 9, values::any);
    expect_of_rows(call, in, test_rows{190, 9, 9}, many, interpolation::linear, false, "many");
    expect_of_rows(call, in, test_rows{190, 9, 9}, many, interpolation::nearest, false, "launches",
                   0, 7);
  }
}

TEST(short_quantiles, may_be_of_rows_of_any_length_anywhere) {
  test_call call(1);
  for (std::uint64_t most : {30, 200, 1000})
    for (int offset : {0, 1, 3}) {
      test_rows rows{40, most, most + 3};
      for (std::uint64_t r = 0; r < rows.count; ++r) {
        rows.starts.push_back(std::int64_t(r % 4));
        rows.lengths.push_back(std::int64_t(r * 37 % (most + 1)));
      }
      auto const in = elements<float>(rows.count * rows.stride, values::with_nans);
      auto const wide = elements<std::int64_t>(rows.count * rows.stride, values::any);
      for (bool skips : {false, true})
        expect_of_rows(call, in, rows, some_q, interpolation::linear, skips, "floats", offset);
      expect_of_rows(call, wide, rows, some_q, interpolation::midpoint, false, "wide", offset);
    }
}

TEST(short_quantiles, may_be_of_columns) {
  test_call call(1);
  for (std::uint64_t n : {1, 33, 300}) {
    auto const in = elements<double>(n * 50, values::with_nans);
    test_rows columns{45, n, 1};
    columns.step = 50;
    for (bool skips : {false, true})
      expect_of_rows(call, in, columns, some_q, interpolation::linear, skips, "columns", 2);
  }
}

TEST(short_quantiles, are_found_in_any_order_of_warps) {
  auto const in = elements<float>(20 * 300, values::any);
  for (int order = 0; order < schedule::orders; ++order) {
    schedule const how(1, 1, order);
    test_call call(1);
    expect_of_rows(call, in, test_rows{20, 300, 300}, some_q, interpolation::linear, false,
                   "scheduled");
  }
}

TEST(short_quantiles, are_those_of_rows_of_up_to_1024) {
  test_call call(1);
  auto const way_of = [&](std::size_t n) {
    std::string text;
    call.explanation = &text;
    expect_of_rows(call, elements<float>(n, values::any), test_rows{1, n, n}, some_q,
                   interpolation::linear, false, "one");
    call.explanation = nullptr;
    return text.substr(0, 10);
  };
  EXPECT_EQ(way_of(1), "32 lanes a");
  EXPECT_EQ(way_of(1024), "32 lanes a");
  EXPECT_EQ(way_of(1025), "digits, by");
}

}  // namespace
