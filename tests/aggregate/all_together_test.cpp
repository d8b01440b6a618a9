// SPDX-License-Identifier: Apache-2.0
#include "tally/aggregate/all_together.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tally/reduce.hpp"

namespace {

using namespace tally;

template <class T>
std::vector<T> normal(std::size_t n) {
  std::mt19937 random(3);
  std::normal_distribution<T> next;
  std::vector<T> x(n);
  for (T& e : x) e = next(random);
  return x;
}

template <class A, class B>
void expect_same(A a, B b) {
  EXPECT_EQ(to_bits(a), to_bits(B(b)));
}

template <class T>
void compare_joint(std::span<T const> x, cpu where, reduce_options options) {
  auto const [total, ends, middle, spread, first] =
      reduce(where, x, all_together(sum{}, min_max{}, mean{}, variance{1}, arg_maximum{}), options);
  expect_same(total, reduce(where, x, sum{}, options));
  EXPECT_EQ(to_bits(ends.minimum), to_bits(reduce(where, x, minimum{}, options)));
  EXPECT_EQ(to_bits(ends.maximum), to_bits(reduce(where, x, maximum{}, options)));
  expect_same(middle, reduce(where, x, mean{}, options));
  expect_same(spread, reduce(where, x, variance{1}, options));
  EXPECT_EQ(first, reduce(where, x, arg_maximum{}, options));

  auto const d = reduce(where, x, describe{1}, options);
  std::uint64_t const nan =
      std::uint64_t(std::count_if(x.begin(), x.end(), [](T e) { return is_nan(e); }));
  EXPECT_EQ(d.nan_count, nan);
  EXPECT_EQ(d.count, x.size() - (options.nan == skip ? nan : 0));
  expect_same(d.sum, total);
  expect_same(d.mean, middle);
  expect_same(d.standard_deviation, reduce(where, x, standard_deviation{1}, options));
  EXPECT_EQ(to_bits(d.minimum), to_bits(ends.minimum));
  EXPECT_EQ(to_bits(d.maximum), to_bits(ends.maximum));
  EXPECT_EQ(d.minimum_index, reduce(where, x, arg_minimum{}, options));
  EXPECT_EQ(d.maximum_index, first);
}

TEST(all_together, and_describe_agree_with_separate_calls) {
  for (std::size_t const n : {1, 2, 513, 5000, 70000}) {
    auto x = normal<double>(n);
    std::vector<std::int32_t> const integers(x.begin(), x.end());
    compare_joint<double>(x, cpu{2}, {});
    compare_joint<std::int32_t>(integers, cpu{2}, {});
    x[n / 2] = -NAN;
    compare_joint<double>(x, cpu{2}, {});
    if (n > 1) compare_joint<double>(x, cpu{3}, {skip});
  }
}

TEST(all_together, keeps_the_tree_of_an_ordered_aggregate) {
  auto const x = normal<float>(70001);
  auto const [fast, exact] = reduce(cpu{3}, x, all_together(fast_sum{}, sum{}));
  EXPECT_EQ(fast, reduce(cpu{1}, x, fast_sum{}));
  EXPECT_EQ(exact, reduce(cpu{1}, x, sum{}));
}

}  // namespace
