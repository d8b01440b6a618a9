// SPDX-License-Identifier: Apache-2.0
//
// Short rows and columns, which lanes reduce (src/cpu/row_lanes.hpp) or vectors
// (src/cpu/row_vectors.hpp), against each row alone.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tally/tally.hpp"

namespace {

using namespace tally;

// What is hard to add, from the easy to what only a state tells.
template <floating T>
std::vector<T> hard(int kind, std::size_t n) {
  std::mt19937_64 random(n + std::size_t(kind));
  std::vector<T> x;
  for (std::size_t i = 0; i < n; ++i) {
    double const y = double(std::int64_t(random() % 2001)) - 1000;
    double const of_any_size = std::ldexp(y, int(random() % 24) - 12);
    double const values[] = {
        y / 8,                                    // exact, and often halfway
        of_any_size,                              //
        i % 2 ? -double(x.back()) : of_any_size,  // cancelling
        std::ldexp(y, i % 5 ? -13 : 4),           //
        random() % 40 ? of_any_size : INFINITY,   //
        random() % 60 ? of_any_size : NAN,        //
        i % 3 == 2 ? 0x1p-14 * y
        : i % 3    ? -512
                   : 512,              // what is left is far below
        random() % 2 ? 0.0 : -0.0,  //
        i % 8 == 0   ? 1            // what is far below decides a tie
        : i % 8 == 1 ? std::ldexp(1, -format<T>::precision)
        : i % 8 == 2 ? std::ldexp(y, -130)
                     : 0,
        1 + y / 7000,  // seldom in doubt
    };
    x.push_back(T(values[kind]));
  }
  return x;
}

template <class T, class Op>
void expect_rows(rows<T const> const& in, Op const& op, char const* what) {
  for (int threads : {1, 4}) {
    auto const all = reduce(cpu{threads}, in, op);
    for (std::uint64_t r = 0; r < in.count; ++r) {
      std::vector<T> row;
      for (std::uint64_t i = 0; i < in.length; ++i)
        row.push_back(in.data[in.begin(r) + std::int64_t(i) * in.step]);
      auto const alone = reduce(cpu{1}, row, op);
      ASSERT_EQ(to_bits(all[std::size_t(r)]), to_bits(alone))
          << what << " row " << r << " of " << in.length << ", " << threads << " threads";
    }
  }
}
template <floating T>
void expect_layouts(int kind) {
  auto const check = [&](rows<T const> const& in) {
    expect_rows(in, sum{}, "sum");
    expect_rows(in, mean{}, "mean");
    expect_rows(in, minimum{}, "minimum");
    expect_rows(in, maximum{}, "maximum");
    expect_rows(in, variance{}, "variance");
    expect_rows(in, standard_deviation{.ddof = 1}, "deviation");
    if constexpr (sizeof(T) < 8) expect_rows(in, sum{}.as<double>(), "sum as double");
  };
  auto const x = hard<T>(kind, 6000);
  for (std::uint64_t length : {1, 2, 8, 33, 48, 64, 65, 128, 240, 1001, 4096})
    check(rows<T const>{x.data(), 6000 / length > 40 ? 40 : 6000 / length, length});
  check(rows<T const>{x.data() + 1, 7, 100, 803});
  check(columns<T const>{x.data(), 100, 60});
  check(columns<T const>{x.data() + 3, 17, 9, 40});
  check(rows<T const>{x.data() + 5999, {.count = 20, .length = 30, .stride = -60, .step = -2}});
  check(rows<T const>{x.data(),
                      {.count = 30, .length = 9, .stride = 1, .step = 5, .inner = 5, .outer = 45}});
}

TEST(row_lanes, give_the_bits_of_each_row_alone) {
  for (int kind = 0; kind < 10; ++kind) {
    expect_layouts<float>(kind);
    expect_layouts<double>(kind);
    expect_layouts<bfloat16>(kind);
    expect_layouts<float16>(kind);
  }
}

// More rows than threads take at a time, of which some are in doubt.
TEST(row_lanes, give_the_bits_of_each_of_many_rows_alone) {
  for (int kind : {0, 1, 5, 8, 9}) {
    auto const x = hard<float>(kind, 50 * 2100);
    expect_rows(rows<float const>{x.data(), 2100, 50}, sum{}, "sum");
    expect_rows(rows<float const>{x.data(), 2100, 50}, mean{}, "mean");
  }
}

// Few columns of many elements, which several threads share.
TEST(row_lanes, put_together_the_parts_of_long_columns) {
  for (int kind = 0; kind < 10; ++kind) {
    auto const x = hard<float>(kind, 9 * 30'000);
    expect_rows(rows<float const>(columns<float const>{x.data(), 30'000, 9}), sum{}, "sum");
    expect_rows(rows<float const>(columns<float const>{x.data(), 30'000, 9}), mean{}, "mean");
    expect_rows(rows<float const>(columns<float const>{x.data(), 30'000, 9}), maximum{}, "maximum");
    auto const y = hard<double>(kind, 9 * 30'000);
    expect_rows(rows<double const>(columns<double const>{y.data(), 30'000, 9}), sum{}, "sum");
    expect_rows(rows<double const>(columns<double const>{y.data(), 30'000, 9}), variance{}, "var");
  }
}

// Squares that are no doubles, and what cancels but for a last bit.
TEST(row_lanes, make_variances_of_the_least_and_the_largest) {
  std::mt19937_64 random(3);
  for (double const size : {0x1p-1070, 0x1p-540, 0x1p-520, 0x1p-450, 0x1p449, 0x1p480, 0x1p1022})
    for (double const from : {0.0, 1.0, 0x1p20, 0x1p45}) {
      std::vector<double> x(3200);
      for (auto& y : x) y = size * (from + double(random() % 1000) / 512);
      for (std::uint64_t const length : {8, 64}) {
        expect_rows(rows<double const>{x.data(), 50, length}, variance{}, "variance");
        expect_rows(rows<double const>{x.data(), 50, length}, standard_deviation{}, "deviation");
      }
    }
}

TEST(row_lanes, compare_integers) {
  std::mt19937_64 random(1);
  std::vector<std::int64_t> x(900);
  for (auto& y : x) y = std::int64_t(random());
  expect_rows(rows<std::int64_t const>{x.data(), 100, 9}, minimum{}, "minimum");
  expect_rows(rows<std::int64_t const>(columns<std::int64_t const>{x.data(), 9, 100}), maximum{},
              "maximum");
  std::vector<std::uint8_t> y(x.begin(), x.end());
  expect_rows(rows<std::uint8_t const>{y.data(), 100, 9}, maximum{}, "maximum");
}

TEST(row_lanes, skip_nan_and_have_results_of_no_elements) {
  auto const x = hard<float>(5, 800);
  rows const in{x.data(), 100, 8};
  auto const sums = reduce(cpu{}, in, sum{}, {.nan = skip});
  auto const least = reduce(cpu{}, in, minimum{}, {.nan = skip});
  for (std::size_t r = 0; r < 100; ++r) {
    double sum = 0;
    float best = INFINITY;
    for (std::size_t i = 0; i < 8; ++i)
      if (float const y = x[8 * r + i]; !std::isnan(y)) sum += y, best = std::min(best, y);
    EXPECT_EQ(sums[r], float(sum));  // of few bits
    EXPECT_EQ(least[r], best);
  }
  for (float const y : reduce(cpu{}, rows{x.data(), 100, 0}, sum{})) EXPECT_EQ(to_bits(y), 0u);
  for (float const y : reduce(cpu{}, rows{x.data(), 100, 0}, mean{})) EXPECT_TRUE(std::isnan(y));
  for (float const y : reduce(cpu{}, rows{x.data(), 100, 0}, maximum{})) EXPECT_EQ(y, -INFINITY);
}

}  // namespace
