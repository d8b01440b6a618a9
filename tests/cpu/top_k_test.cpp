// SPDX-License-Identifier: Apache-2.0
#include "tally/top_k.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "cpu/top_k_cases.hpp"
#include "cpu/top_k_oracle.hpp"
#include "support/failure_of.hpp"
#include "tally/error.hpp"

namespace tally {
namespace {

using support::failure_of;
using namespace top_k_cases;
using top_k_oracle::expect_best;
using top_k_oracle::ranked;

TYPED_TEST_SUITE(top_k_of, test_types<element_types>::type, type_names);

std::vector<std::uint64_t> interesting_k(std::size_t n) {
  std::vector<std::uint64_t> all;
  for (std::uint64_t k : {std::size_t(0), std::size_t(1), std::size_t(2), std::size_t(10),
                          std::size_t(48), std::size_t(384), n / 2, n - 1, n})
    if (k <= n && std::count(all.begin(), all.end(), k) == 0) all.push_back(k);
  return all;
}

template <class T>
void compare_with_stable_sort(input_kind<T> const& kind, std::size_t n, source& random) {
  static constexpr int threads[] = {1, 2, 3, 8};
  auto const values = kind.make(n, random);
  auto const in = std::as_const(values).span();
  std::vector<std::int64_t> best;
  for (auto options : all_options<T>()) {
    if (options.sorted) best = ranked(in, options);  // the unsorted twin comes next
    for (std::uint64_t k : interesting_k(n)) {
      int const team = threads[random() % 4];
      expect_best(in, best, k, options, top_k(cpu{team}, in, k, options),
                  describe<T>(kind.name, n, k, options, team));
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(top_k_of, equals_a_stable_sort_on_small_arrays) {
  source random(1);
  for (auto const& kind : inputs<TypeParam>())
    for (std::size_t n : {0, 1, 2, 63, 64, 65, 1000, 2047, 2048, 5000}) {
      compare_with_stable_sort<TypeParam>(kind, n, random);
      if (this->HasFatalFailure()) return;
    }
}

TYPED_TEST(top_k_of, equals_a_stable_sort_around_the_size_where_threads_start) {
  source random(2);
  auto const kinds = inputs<TypeParam>();
  for (std::size_t n : {65535, 65536, 70000}) {
    compare_with_stable_sort<TypeParam>(kinds[random() % kinds.size()], n, random);
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(top_k_of, large_arrays_agree_with_a_stable_sort) {
  source random(3);
  std::size_t const n = 200'000;
  for (auto const& kind : inputs<TypeParam>()) {
    auto const values = kind.make(n, random);
    auto const in = std::as_const(values).span();
    top_k_options const options = {random() % 2 ? largest : smallest, random() % 2 == 0,
                                   random() % 4 == 0, random() % 3 ? propagate : skip};
    auto const best = ranked(in, options);
    for (std::uint64_t k : {std::size_t(10), n / 50, n / 2}) {
      int const team = 1 + int(random() % 3);
      expect_best(in, best, k, options, top_k(cpu{team}, in, k, options),
                  describe<TypeParam>(kind.name, n, k, options, team));
      if (this->HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(top_k_of, starts_anywhere_in_memory) {
  source random(4);
  auto const values = inputs<TypeParam>()[0].make(3100, random);
  auto const all = std::as_const(values).span();
  for (std::size_t offset = 0; offset < 70; offset += 3) {
    auto const in = all.subspan(offset, 3000);
    expect_best(in, ranked(in, {}), 100, {}, top_k(cpu{1}, in, 100), "subspan");
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(top_k_of, writes_into_spans_and_only_there) {
  source random(5);
  for (std::size_t n : {100, 5000, 100'000})
    for (auto options : all_options<TypeParam>()) {
      auto const values = inputs<TypeParam>()[random() % 6].make(n, random);
      auto const in = std::as_const(values).span();
      std::uint64_t const k = random() % (n + 1);
      array<TypeParam> to(k + 1, [](std::size_t) { return number<TypeParam>(1); });
      std::vector<std::int64_t> at(k + 1, -7);
      int const team = 1 + int(random() % 3);
      std::uint64_t const count =
          top_k_into(cpu{team}, in, k, to.span().first(k), std::span(at).first(k), options);
      auto const same = top_k(cpu{1}, in, k, options);
      ASSERT_EQ(count, same.indices.size());
      ASSERT_EQ(at[k], -7);
      ASSERT_EQ(to_bits(to.span()[k]), to_bits(number<TypeParam>(1)));
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(at[i], same.indices[i]);
        ASSERT_EQ(to_bits(to.span()[i]), bits_of<TypeParam>(to_bits(same.values[i])));
      }
    }
}

TEST(top_k, takes_vectors_and_spans) {
  std::vector<float> v = {3, 1, 2};
  std::vector<float> const expected = {3, 2};
  EXPECT_EQ(top_k(cpu{}, v, 2).values, expected);
  EXPECT_EQ(top_k(cpu{}, std::span(v), 2, {.order = largest}).values, expected);
  EXPECT_EQ(top_k(cpu{}, std::span<float const>(v), 2).indices, (std::vector<std::int64_t>{0, 2}));
  std::vector<float> values(2);
  std::vector<std::int64_t> indices(2);
  EXPECT_EQ(top_k_into(cpu{}, std::span<float>(v), 2, std::span(values), std::span(indices)), 2u);
  EXPECT_EQ(values, expected);
  EXPECT_EQ(top_k_into(cpu{}, v, 2, std::span(values), std::span(indices)), 2u);
}

TEST(top_k, more_than_there_are_is_an_error) {
  std::vector<double> const v(5);
  EXPECT_EQ(failure_of([&] { top_k(cpu{}, v, 7); }), "top_k: k = 7 is larger than n = 5");
  EXPECT_EQ(failure_of([&] { top_k(cpu{}, v, ~std::uint64_t(0)); }),
            "top_k: k = 18446744073709551615 is larger than n = 5");
  EXPECT_EQ(failure_of([&] {
              selector<double> s(7);
              s.add(cpu{}, v);
              std::move(s).result();
            }),
            "top_k: k = 7 is larger than n = 5");
  std::vector<double> values(2);
  std::vector<std::int64_t> indices(3);
  EXPECT_EQ(failure_of(
                [&] { top_k_into(cpu{}, std::span(v), 3, std::span(values), std::span(indices)); }),
            "top_k_into: values has room for 2, k = 3");
  EXPECT_EQ(failure_of([&] {
              top_k_into(cpu{}, std::span(v), 3, std::span(values), std::span(indices).first(0));
            }),
            "top_k_into: values has room for 2, k = 3");
  EXPECT_EQ(failure_of([&] {
              top_k_into(cpu{}, std::span(v), 2, std::span(values), std::span(indices).first(1));
            }),
            "top_k_into: indices has room for 1, k = 2");
  EXPECT_EQ(failure_of([&] { selector<double>(3).append(selector<double>(4)); }),
            "selector: one of k = 4 cannot be appended to one of k = 3");
  EXPECT_EQ(
      failure_of([&] { selector<double>(3).append(selector<double>(3, {.order = smallest})); }),
      "selector: the two have different options");
  EXPECT_EQ(failure_of([&] { top_k(cpu{-1}, v, 1); }), "cpu: threads = -1 is negative");
}

}  // namespace
}  // namespace tally
