// SPDX-License-Identifier: Apache-2.0
#include "tally/nodes/quantile.hpp"

#include <gtest/gtest.h>

#include <array>

#include "cpu/top_k_cases.hpp"
#include "cpu/top_k_inputs.hpp"
#include "support/failure_of.hpp"
#include "support/slices.hpp"
#include "tally/automatic.hpp"
#include "tally/cpu/path_counters.hpp"
#include "tally/distributed.hpp"
#include "tally/transform.hpp"

namespace tally {
namespace {

using support::failure_of;
using namespace top_k_cases;
using namespace support;

constexpr interpolation methods[] = {interpolation::linear, interpolation::lower,
                                     interpolation::higher, interpolation::nearest,
                                     interpolation::midpoint};

template <class T>
bool same_bits(std::vector<T> const& a, std::vector<T> const& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

template <class T>
class quantiles_of_ranks : public testing::Test {};
TYPED_TEST_SUITE(quantiles_of_ranks, test_types<element_types>::type, type_names);

TYPED_TEST(quantiles_of_ranks, are_those_of_one_call) {
  using T = TypeParam;
  using result = quantile_of<T>;
  std::array const qs = {0.0, 0.1, 0.25, 1.0 / 3, 0.5, 0.999, 1.0, 0.5};
  std::array const fractions = {fraction{95, 100}, fraction{1, 3}, fraction{1, 1}};
  source random(1);
  for (auto const& kind : inputs<T>())
    for (std::size_t const n : {1, 2, 11, 400, 70'000}) {
      auto const values = kind.make(n, random);
      auto const in = values.span();
      std::vector<quantile_options> all;
      std::vector<std::vector<result>> want;
      for (auto const nan : {propagate, skip})
        for (auto const method : methods) {
          all.push_back({method, nan});
          want.push_back(quantile(cpu{1}, in, qs, all.back()));
          want.push_back(quantile(cpu{1}, in, fractions, all.back()));
        }
      int const ranks = 1 + int(random() % 8);
      on_slices(in, any_cuts(n, ranks, random), [&](communicator& them, std::span<T const> mine) {
        distributed const where{them, cpu{1}};
        for (std::size_t i = 0; i < all.size(); ++i) {
          auto const what = kind.name + (" n = " + std::to_string(n)) + " ranks " +
                            std::to_string(ranks) + " " + std::to_string(i);
          ASSERT_TRUE(same_bits(quantile(where, mine, qs, all[i]), want[2 * i])) << what;
          ASSERT_TRUE(same_bits(quantile(where, mine, fractions, all[i]), want[2 * i + 1])) << what;
        }
        auto const middle = median(where, mine, {skip});
        ASSERT_EQ(to_bits(middle), to_bits(median(cpu{1}, in, {skip})));
      });
    }
}

TYPED_TEST(quantiles_of_ranks, have_the_kth_value_of_one_call) {
  using T = TypeParam;
  source random(2);
  for (auto const& kind : inputs<T>())
    for (std::size_t const n : {1, 2, 11, 400, 70'000}) {
      auto const values = kind.make(n, random);
      auto const in = values.span();
      std::vector<std::pair<std::uint64_t, kth_value_options>> all;
      std::vector<kth_value_result<T>> want;
      for (auto const order : {smallest, largest})
        for (auto const nan : {propagate, skip})
          for (std::uint64_t const k : {std::size_t(1), n / 3 + 1, (n + 1) / 2, n}) {
            all.push_back({k, {order, nan}});
            want.push_back(kth_value(cpu{1}, in, k, {order, nan}));
          }
      auto const cuts = any_cuts(n, 1 + int(random() % 8), random);
      on_slices(in, cuts, [&](communicator& them, std::span<T const> mine) {
        for (std::size_t i = 0; i < all.size(); ++i) {
          auto const got = kth_value(distributed{them, cpu{1}}, mine, all[i].first, all[i].second);
          auto const what = kind.name + (" n = " + std::to_string(n)) + " " + std::to_string(i);
          ASSERT_EQ(got.index, want[i].index) << what;
          ASSERT_EQ(to_bits(got.value), to_bits(want[i].value)) << what;
        }
      });
    }
}

// So many places that their brackets are too much to keep at once.
TEST(quantiles_of_ranks, may_be_many) {
  auto const x = top_k_inputs::random_floats(400'000);
  std::vector<double> qs;
  for (int i = 0; i <= 100; ++i) qs.push_back(i / 100.0);
  auto const want = quantile(cpu{2}, x, qs);
  auto const radix = detail::path_count(detail::path::top_k_radix);
  on_slices(std::span(x), {0, 100'000, 100'000, 400'000},
            [&](communicator& ranks, std::span<float const> mine) {
              EXPECT_EQ(quantile(distributed{ranks, cpu{1}}, mine, qs), want);
            });
  EXPECT_EQ(detail::path_count(detail::path::top_k_radix), radix);
}

TEST(quantiles_of_ranks, are_written_where_it_is_told) {
  std::vector<std::int64_t> const x{INT64_MAX, 3, INT64_MAX - 1, 5};
  std::array const qs = {0.5, 1.0};
  on_slices(std::span(x), {0, 1, 1, 4},
            [&](communicator& ranks, std::span<std::int64_t const> mine) {
              distributed const where{ranks, best()};
              std::vector<std::int64_t> out(2), values(1), indices(1);
              quantile_into(where, mine, qs, out, {.method = interpolation::higher});
              EXPECT_EQ(out, (std::vector<std::int64_t>{INT64_MAX - 1, INT64_MAX}));
              kth_value_into(where, mine, 2, values, indices);
              EXPECT_EQ(values[0], 5);
              EXPECT_EQ(indices[0], 3);
              auto const negative = [](std::int64_t v) { return -v; };
              EXPECT_EQ(kth_value(where, transform(mine, negative), 1).index, 0);
              EXPECT_EQ(quantile(where, transform(mine, negative), 1), -3);
            });
}

TEST(quantiles_of_ranks, throw_on_all) {
  std::vector<float> const x(10);
  on_slices(std::span(x), {0, 3, 10}, [&](communicator& ranks, std::span<float const> mine) {
    distributed const where{ranks, cpu{1}};
    EXPECT_EQ(failure_of([&] { kth_value(where, mine, 11); }),
              "kth_value: k = 11 is larger than n = 10");
    EXPECT_EQ(failure_of([&] { kth_value(where, mine, 0); }), "kth_value: k = 0 is not from 1 on");
    EXPECT_EQ(failure_of([&] { kth_value(where, mine, 10); }), "nothing was thrown");
    EXPECT_EQ(failure_of([&] { median(where, mine.first(0)); }), "median: the array is empty");
    EXPECT_EQ(failure_of([&] { median(where, mine.first(std::size_t(ranks.rank()))); }),
              "nothing was thrown");
    auto out = std::vector<float>(std::size_t(2 - ranks.rank()));
    std::array const qs = {0.5, 1.0};
    EXPECT_EQ(failure_of([&] { quantile_into(where, mine, qs, out); }),
              std::string(ranks.rank() ? "" : "rank 1: ") +
                  "quantile_into: out has room for 1, not for 2");
    std::vector<std::int64_t> indices(1);
    auto* const own = const_cast<float*>(mine.data());
    EXPECT_EQ(failure_of([&] {
                kth_value_into(where, mine, 1, ranks.rank() ? std::span(out) : std::span(own, 1),
                               indices);
              }).substr(ranks.rank() ? 8 : 0),
              failure_of([&] { kth_value_into(cpu{1}, mine, 1, std::span(own, 1), indices); }));
  });
}

}  // namespace
}  // namespace tally
