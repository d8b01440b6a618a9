// SPDX-License-Identifier: Apache-2.0
#include "tally/aggregate/all_together.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "support/failure_of.hpp"
#include "support/mpfr_oracle.hpp"
#include "support/normal.hpp"
#include "tally/tally.hpp"

namespace {

using namespace tally;
using support::normal;

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

TEST(all_together, results_are_taken_apart_by_any_binding) {
  std::vector<float> const x = {3, 1, 2};
  auto const both = all_together(sum{}, min_max{});
  auto [total, ends] = reduce(cpu{}, x, both);
  total += 1;
  EXPECT_EQ(total, 7);
  EXPECT_EQ(ends.maximum, 3);
  auto found = reduce(cpu{}, x, both);
  auto& [sum_found, ends_found] = found;
  sum_found = 5;
  EXPECT_EQ(get<0>(found), 5);
  EXPECT_EQ(ends_found.minimum, 1);
  auto&& [same_total, same_ends] = reduce(cpu{}, x, both);
  EXPECT_EQ(same_total, 6);
  EXPECT_EQ(same_ends, get<1>(reduce(cpu{}, x, both)));
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

TEST(all_together, and_describe_give_the_sums_of_mpfr_and_of_plain_integers) {
  auto const x = normal<double>(70001);
  auto const [middle, total] = reduce(cpu{2}, x, all_together(mean{}, sum{}));
  expect_same(total, mpfr_oracle::sum<double>(x));
  expect_same(reduce(cpu{2}, x, describe{}).sum, mpfr_oracle::sum<double>(x));

  std::vector<std::int32_t> k(1 << 17);
  for (std::size_t i = 0; i < k.size(); ++i) k[i] = std::int32_t(i * 2654435761u % 1999) - 999;
  auto const [integers, half] = reduce(cpu{2}, k, all_together(sum{}, mean{}));
  std::int64_t const want = std::accumulate(k.begin(), k.end(), std::int64_t(0));
  EXPECT_EQ(integers, want);
  EXPECT_EQ(half, double(want) / (1 << 17));  // exact, by a power of two
}

// An aggregate whose result has the members of the library's own pairs.
struct first_and_last {
  using element = float;
  struct state {
    float a, b;
  };
  using result = state;
  static constexpr bool any_order = false;
  static constexpr char const* name = "first_and_last";
  state lift(float x, std::uint64_t) const { return {x, x}; }
  state combine(state s, state t) const { return {s.a, t.b}; }
  result lower(state s) const { return s; }
};

TEST(all_together, leaves_a_result_that_looks_like_a_pair_whole) {
  auto const x = normal<float>(1001);
  auto const both_ways = [&](auto const& ends, float total) {
    EXPECT_EQ(ends.a, x.front());
    EXPECT_EQ(ends.b, x.back());
    EXPECT_EQ(total, reduce(cpu{}, x, sum{}));
  };
  auto const [ends, total] = reduce(cpu{}, x, all_together(first_and_last{}, sum{}));
  both_ways(ends, total);
  auto const [same_total, same_ends] = reduce(cpu{}, x, all_together(sum{}, first_and_last{}));
  both_ways(same_ends, same_total);
}

TEST(all_together, of_nothing_but_what_is_skipped_fails_as_a_single_call_does) {
  std::vector<float> const x(5, NAN);
  EXPECT_EQ(
      support::failure_of([&] { reduce(cpu{}, x, all_together(fast_sum{}, variance{}), {skip}); }),
      support::failure_of([&] { reduce(cpu{}, x, variance{}, {skip}); }));
}

// An aggregate may look later for a position in an array, but what is computed is gone by then.
TEST(all_together, finds_positions_in_what_is_computed) {
  std::vector<float> x(5000);
  for (int i = 0; i < 5000; ++i) x[std::size_t(i)] = float(i < 1200 ? i : 2400 - i);
  auto const doubled = transform(x, [](float y) { return 2 * y; });
  auto const [total, where] = reduce(cpu{1}, doubled, all_together(sum{}, arg_maximum{}));
  expect_same(total, reduce(cpu{1}, doubled, sum{}));
  EXPECT_EQ(where, 1200);
}

TEST(all_together, finds_each_in_what_knows_it) {
  auto const x = normal<float>(3001);
  auto const [total, described, middle, low] =
      reduce(cpu{2}, x, all_together(sum{}, describe{}, mean{}, minimum{}));
  expect_same(total, reduce(cpu{}, x, sum{}));
  expect_same(described.sum, total);
  expect_same(middle, reduce(cpu{}, x, mean{}));
  expect_same(low, reduce(cpu{}, x, minimum{}));
}

TEST(all_together, of_nothing_names_the_aggregate_that_has_no_answer) {
  std::vector<float> const none;
  EXPECT_EQ(support::failure_of([&] { reduce(cpu{}, none, all_together(sum{}, mean{})); }),
            "mean: the array is empty");
  auto const [total, fast] = reduce(cpu{}, none, all_together(sum{}, fast_sum{}));
  EXPECT_EQ(total, 0);
  EXPECT_EQ(fast, 0);
}

}  // namespace
