// SPDX-License-Identifier: Apache-2.0
#include "tally/aggregate/logic.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tally/reduce.hpp"

namespace {

using namespace tally;

template <class T>
void expect_counts(std::vector<T> const& x) {
  auto const nonzero = std::size_t(std::ranges::count_if(x, [](T e) { return e != T(0); }));
  for (int const threads : {1, 3}) {
    EXPECT_EQ(reduce(cpu{threads}, x, count_nonzero{}), nonzero);
    EXPECT_EQ(reduce(cpu{threads}, x, any_of{}), nonzero > 0);
    EXPECT_EQ(reduce(cpu{threads}, x, all_of{}), nonzero == x.size());
  }
}

template <class T>
void expect_counts_of_all_kinds() {
  std::mt19937 random(1);
  for (std::size_t const n : {0, 1, 2, 511, 512, 513, 100001}) {
    std::vector<T> x(n);
    expect_counts(x);
    for (T& e : x) e = T(random() % 3);
    expect_counts(x);
    std::ranges::fill(x, T(1));
    expect_counts(x);
    if (n) x.back() = T(0);
    expect_counts(x);
  }
}

TEST(logic, counts_what_is_not_zero) {
  expect_counts_of_all_kinds<std::int8_t>();
  expect_counts_of_all_kinds<std::uint16_t>();
  expect_counts_of_all_kinds<std::int32_t>();
  expect_counts_of_all_kinds<std::uint64_t>();
  expect_counts_of_all_kinds<float>();
  expect_counts_of_all_kinds<double>();
}

TEST(logic, takes_minus_zero_for_zero_and_nan_and_subnormals_for_something) {
  std::vector const x{-0.0f, 0.0f, quiet_nan<float>(), 1e-45f};
  EXPECT_EQ(reduce(cpu{}, x, count_nonzero{}), 2u);
  EXPECT_EQ(reduce(cpu{}, x, count_nonzero{}, {.nan = skip}), 1u);
  EXPECT_EQ(reduce(cpu{}, std::vector{from_bits<float16>(0x8000)}, any_of{}), false);
}

TEST(logic, counts_bools) {
  bool const x[] = {true, false, true, true};
  EXPECT_EQ(reduce(cpu{}, x, count_nonzero{}), 3u);
  EXPECT_TRUE(reduce(cpu{}, x, any_of{}));
  EXPECT_FALSE(reduce(cpu{}, x, all_of{}));
}

// Tiles of nothing but zeros, or NaN, have the largest counts.
TEST(logic, counts_what_is_left_when_nan_is_skipped) {
  for (std::size_t const n : {1, 511, 2049, 100001}) {
    std::vector<float> x(n, quiet_nan<float>());
    auto const left_of = [&](auto op) { return reduce(cpu{}, x, op, {.nan = skip}); };
    EXPECT_EQ(left_of(count_nonzero{}), 0u);
    EXPECT_TRUE(left_of(all_of{}));
    for (std::size_t k = 0; k < n; k += 3) x[k] = float(k % 2);
    EXPECT_EQ(left_of(count_nonzero{}), (n + 2) / 6);
    EXPECT_EQ(reduce(cpu{}, x, count_nonzero{}), n - (n + 5) / 6);
  }
}

}  // namespace
