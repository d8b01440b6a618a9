// SPDX-License-Identifier: Apache-2.0
#include "tally/quantile.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "cpu/top_k_cases.hpp"
#include "cpu/top_k_inputs.hpp"
#include "support/failure_of.hpp"
#include "tally/cpu/path_counters.hpp"
#include "tally/transform.hpp"

namespace tally {
namespace {

using detail::path;
using detail::path_count;
using support::failure_of;
using namespace top_k_cases;

TEST(quantiles_of_integers, are_elements_where_these_are_chosen) {
  std::int64_t const most = std::numeric_limits<std::int64_t>::max();
  std::vector<std::int64_t> const x = {most, 3, most - 1, 5};
  std::vector<std::int64_t> out(2);
  std::array<double, 2> const qs = {0.5, 1};
  quantile_into(cpu{}, x, qs, out, {.method = interpolation::higher});
  EXPECT_EQ(out, (std::vector<std::int64_t>{most - 1, most}));
  EXPECT_EQ(failure_of([&] { quantile_into(cpu{}, x, qs, out); }),
            "quantile_into: out holds integers, and the method chooses none");
}

template <class T>
class kth_value_of : public testing::Test {};
TYPED_TEST_SUITE(kth_value_of, test_types<element_types>::type, type_names);

TYPED_TEST(kth_value_of, is_where_a_stable_sort_puts_it) {
  source random(1);
  for (auto const& kind : inputs<TypeParam>())
    for (std::size_t n : {1, 2, 63, 64, 65, 1000, 2047, 2048, 5000, 70000}) {
      auto const values = kind.make(n, random);
      auto const in = std::as_const(values).span();
      for (auto order : {smallest, largest})
        for (auto nan : {propagate, skip}) {
          auto const sorted = top_k_oracle::ranked(in, {.order = order, .nan = nan});
          for (std::uint64_t k : {std::size_t(1), n / 3 + 1, (n + 1) / 2, n}) {
            int const threads = 1 + int(random() % 3);
            auto const got = kth_value(cpu{threads}, in, k, {order, nan});
            auto const what =
                kind.name + (" n = " + std::to_string(n)) + " k = " + std::to_string(k);
            bool const there = k <= sorted.size();
            ASSERT_EQ(got.index, there ? sorted[std::size_t(k - 1)] : -1) << what;
            ASSERT_EQ(to_bits(got.value),
                      to_bits(there ? in[std::size_t(got.index)] : detail::missing<TypeParam>()))
                << what;
          }
        }
    }
}

// Each way to a rank, of which the first two are for one rank and for two in turn.
template <class T>
std::uint64_t times_taken(path which, std::vector<T> const& in, std::uint64_t k) {
  auto const before = path_count(which);
  auto const sorted = top_k_oracle::ranked<T>(in, {.order = smallest});
  EXPECT_EQ(kth_value(cpu{1}, in, k).index, sorted[std::size_t(k - 1)]);
  return path_count(which) - before;
}

TEST(kth_value_paths, a_small_array_takes_the_direct_one) {
  EXPECT_EQ(times_taken(path::top_k_direct, top_k_inputs::random_floats(100), 10), 1);
}

TEST(kth_value_paths, a_large_one_is_read_once_for_a_band) {
  EXPECT_EQ(times_taken(path::top_k_filter, top_k_inputs::random_floats(1 << 20), 1 << 19), 1);
}

TEST(kth_value_paths, common_values_are_counted_not_kept) {
  EXPECT_EQ(times_taken(path::top_k_ties, std::vector<float>(200'000, 1.0f), 10), 1);
}

TEST(kth_value_paths, where_the_sample_misleads_histograms_take_over) {
  auto in = top_k_inputs::misleading(1 << 18, 16);
  for (auto& x : in) x = -x;
  EXPECT_EQ(times_taken(path::top_k_radix, in, 5000), 1);
  in = top_k_inputs::misleading(60'000, 16);  // a quantile of so few takes the same way
  for (auto& x : in) x = -x;
  auto const before = path_count(path::top_k_radix);
  auto sorted = in;
  std::sort(sorted.begin(), sorted.end());
  double const q = 4999.5 / double(in.size() - 1);
  auto const found = quantile(cpu{1}, in, q);
  EXPECT_GE(found, sorted[4999]);
  EXPECT_LE(found, sorted[5000]);
  EXPECT_GT(path_count(path::top_k_radix), before);
}

// Around the rank where one common value ends and another begins, at the edge of any bracket.
TEST(quantile, may_lie_between_two_common_values) {
  std::vector<double> x(300'000, 1);
  for (std::size_t i = 0; i < x.size() / 2; ++i) x[(i * 7919) % x.size()] = 0;
  auto const zeros = std::size_t(std::count(x.begin(), x.end(), 0.0));
  ASSERT_EQ(zeros, x.size() / 2);
  for (int threads : {1, 3}) {
    EXPECT_EQ(median(cpu{threads}, x), 0.5);
    EXPECT_EQ(quantile(cpu{threads}, x, 0.5, {.method = interpolation::lower}), 0);
    EXPECT_EQ(quantile(cpu{threads}, x, 0.5, {.method = interpolation::higher}), 1);
  }
}

TEST(quantile, of_several_at_once_is_that_of_each) {
  std::vector<std::int32_t> const x = {3, 1, 4, 1, 5, 9};
  std::array const qs = {0.0, 0.5, 0.7, 1.0};
  EXPECT_EQ(quantile(cpu{}, x, qs), (std::vector<double>{1, 3.5, 4.5, 9}));
  EXPECT_EQ(quantile(cpu{}, x, std::span<double const>{}), std::vector<double>{});
  std::vector<double> out(4);
  quantile_into(cpu{}, x, qs, out, {.method = interpolation::midpoint});
  EXPECT_EQ(out, (std::vector<double>{1, 3.5, 4.5, 9}));
}

// Of arrays that are read once for several: each lies a third of the way from an element to the
// next, and is that of the two alone.
template <class T>
class quantiles_of_many : public testing::Test {};
TYPED_TEST_SUITE(quantiles_of_many, test_types<element_types>::type, type_names);

TYPED_TEST(quantiles_of_many, are_those_of_the_elements_around_them) {
  using found_type = quantile_of<TypeParam>;
  source random(2);
  for (auto const& kind : inputs<TypeParam>())
    for (std::size_t n : {65536, 70001}) {
      auto const values = kind.make(n, random);
      auto const in = std::as_const(values).span();
      auto const there = top_k_oracle::ranked(in, {.order = smallest, .nan = skip});
      std::size_t const m = there.size();
      std::vector<fraction> qs;
      std::vector<std::size_t> at;
      for (std::size_t i : {m - 2, std::size_t(0), m / 7, m / 2, m / 2 + 1, m / 2, std::size_t(1)})
        if (m >= 2) at.push_back(i), qs.push_back({3 * i + 1, 3 * (m - 1)});
      for (auto nan : {propagate, skip})
        for (auto method : {interpolation::linear, interpolation::lower, interpolation::higher,
                            interpolation::nearest, interpolation::midpoint}) {
          int const threads = 1 + int(random() % 3);
          auto const found = quantile(cpu{threads}, in, qs, {method, nan});
          for (std::size_t q = 0; q < qs.size(); ++q) {
            array<TypeParam> const two(
                2, [&](std::size_t j) { return in[std::size_t(there[at[q] + j])]; });
            auto const want = nan == propagate && m < n
                                  ? detail::missing<found_type>()
                                  : quantile(cpu{1}, two.span(), fraction{1, 3}, {method});
            ASSERT_EQ(to_bits(found[q]), to_bits(want)) << kind.name << " n = " << n << " q " << q;
          }
        }
    }
}

template <class T>
std::vector<T> sorted_of(std::vector<T> in) {
  std::sort(in.begin(), in.end());
  return in;
}
// At places i / (n - 1), for i = 0, step, 2 * step, ...; how many the one read did not find.
std::size_t expect_elements(std::vector<float> const& in, std::size_t step, int threads) {
  auto const sorted = sorted_of(in);
  std::vector<fraction> qs;
  for (std::size_t i = 0; i < in.size(); i += step) qs.push_back({i, in.size() - 1});
  auto const before = path_count(path::top_k_filter_retry);
  auto const found = quantile(cpu{threads}, in, qs);
  for (std::size_t q = 0; q < qs.size(); ++q) EXPECT_EQ(found[q], sorted[q * step]) << q;
  return path_count(path::top_k_filter_retry) - before;
}

TEST(quantiles_paths, ten_are_found_by_one_read) {
  for (int threads : {1, 3})
    EXPECT_EQ(expect_elements(top_k_inputs::random_floats(1 << 20), (1 << 20) / 9 - 1, threads), 0);
}
TEST(quantiles_paths, more_than_one_read_is_for_take_turns) {
  EXPECT_EQ(expect_elements(top_k_inputs::random_floats(200'000), 1000, 2), 0);
}

TEST(quantiles_paths, common_values_are_counted_not_kept) {
  auto in = top_k_inputs::random_floats(1 << 20);
  for (std::size_t i = 0; i < in.size(); ++i)
    if (i * 7919 % 10 < 7) in[i] = i % 2 ? 0.25f : -0.5f;
  EXPECT_EQ(expect_elements(in, 100'000, 2), 0);
}

TEST(quantiles_paths, nans_are_no_part_of_what_is_sampled) {
  auto in = top_k_inputs::random_floats(1 << 20);
  auto const there = std::vector(in.begin(), in.begin() + (1 << 19));
  std::fill(in.begin() + (1 << 19), in.end(), quiet_nan<float>());
  auto const before = path_count(path::top_k_filter_retry);
  std::array const qs = {0.1, 0.3, 0.5, 0.7, 0.9};
  EXPECT_EQ(quantile(cpu{2}, in, qs, {.nan = skip}), quantile(cpu{2}, there, qs));
  EXPECT_EQ(path_count(path::top_k_filter_retry), before);
}

// What is less than all that was sampled has no room beside the array; what is more is elsewhere.
TEST(quantiles_paths, where_the_sample_misleads_each_takes_its_own) {
  auto in = top_k_inputs::misleading(1 << 20, 64);
  EXPECT_GT(expect_elements(in, (1 << 20) / 7, 2), 4);
  for (auto& x : in) x = -x;
  EXPECT_GT(expect_elements(in, (1 << 20) / 7, 2), 4);
}

TEST(quantiles_paths, all_nans_but_few_leave_nothing_to_sample) {
  std::vector<float> in(100'000, quiet_nan<float>());
  EXPECT_TRUE(std::isnan(quantile(cpu{2}, in, 0.5, {.nan = skip})));
  in[77] = 3, in[99'999] = 5;
  EXPECT_EQ(quantile(cpu{2}, in, std::array{0.0, 0.5, 1.0}, {.nan = skip}),
            (std::vector<float>{3, 4, 5}));
  EXPECT_TRUE(std::isnan(quantile(cpu{2}, in, 0.5)));
}

TEST(quantile, may_be_at_a_fraction) {
  std::vector<double> x(21, 1);
  x[3] = x[17] = 1'000'000;
  EXPECT_EQ(quantile(cpu{}, x, fraction{95, 100}), 1'000'000);
  EXPECT_LT(quantile(cpu{}, x, 0.95), 1'000'000);  // which is a little less
  std::vector<fraction> const qs = {{0, 1}, {1, 20}, {UINT64_MAX, UINT64_MAX}};
  EXPECT_EQ(quantile(cpu{}, x, qs), (std::vector<double>{1, 1, 1'000'000}));
  std::vector<double> out(3);
  quantile_into(cpu{}, x, qs, out);
  EXPECT_EQ(out, (std::vector<double>{1, 1, 1'000'000}));
  std::vector<std::int16_t> const y = {3, 1, 2, 9, 7, 8};
  EXPECT_EQ(quantile(cpu{}, rows{y.data(), 2, 3}, fraction{1, 2}), (std::vector<double>{2, 8}));
  EXPECT_EQ(quantile(cpu{}, rows{y.data(), 2, 3}, qs).size(), 6u);
}

TEST(quantile, of_floats_is_a_float_and_of_integers_a_double) {
  static_assert(std::is_same_v<decltype(median(cpu{}, std::vector<float16>())), float16>);
  static_assert(std::is_same_v<decltype(median(cpu{}, std::vector<float>())), float>);
  static_assert(std::is_same_v<decltype(median(cpu{}, std::vector<std::int64_t>())), double>);
  // (2^63 - 1 + 2^63 - 3) / 2, rounded once.
  std::vector<std::int64_t> const large = {INT64_MAX, INT64_MAX - 2};
  EXPECT_EQ(median(cpu{}, large), 0x1p63);
  std::vector<double> const extreme = {std::numeric_limits<double>::max(),
                                       std::numeric_limits<double>::max()};
  EXPECT_EQ(median(cpu{}, extreme), extreme[0]);
}

TEST(quantile, between_infinities_is_what_can_be_known) {
  double const inf = infinity<double>();
  EXPECT_TRUE(std::isnan(median(cpu{}, std::vector<double>{-inf, inf})));
  EXPECT_EQ(median(cpu{}, std::vector<double>{-inf, 1}), -inf);
  EXPECT_EQ(median(cpu{}, std::vector<double>{1, inf}), inf);
  EXPECT_EQ(median(cpu{}, std::vector<double>{inf, inf}), inf);
  EXPECT_EQ(median(cpu{}, std::vector<double>{1, 2, inf}), 2);
}

TEST(quantile, of_zeros_is_a_positive_one) {
  std::vector<float> const x = {-0.0f, -0.0f, -0.0f};
  EXPECT_EQ(to_bits(median(cpu{}, x)), 0u);
}

TEST(quantile, may_read_elements_that_are_computed) {
  std::vector<float> const x = {-3, 1, -2, 5};
  EXPECT_EQ(median(cpu{}, transform(x, absolute{})), 2.5f);
  auto const found = kth_value(cpu{}, transform(x, absolute{}), 3);
  EXPECT_EQ(found.value, 3);
  EXPECT_EQ(found.index, 0);
}

TEST(quantile, of_rows_is_that_of_each) {
  std::vector<float> x(40 * 100);
  source random(3);
  for (auto& v : x) v = random() % 50 ? float(random() % 1000) : quiet_nan<float>();
  std::vector<std::int64_t> starts, lengths;
  for (int r = 0; r < 40; ++r) starts.push_back(r % 5), lengths.push_back((r * 37) % 96);
  std::array const qs = {0.25, 0.5};
  for (int threads : {1, 3, 64})
    for (auto nan : {propagate, skip}) {
      rows const in{x.data(), 40, 95, 100, starts.data(), lengths.data()};
      auto const found = quantile(cpu{threads}, in, qs, {.nan = nan});
      auto const kth = kth_value(cpu{threads}, in, 20, {.nan = nan});
      ASSERT_EQ(found.size(), 80u);
      for (std::size_t r = 0; r < 40; ++r) {
        auto const length = lengths[r];
        auto const row = std::span<float const>(x).subspan(100 * r + std::size_t(starts[r]),
                                                           std::size_t(length));
        for (std::size_t i = 0; i < 2; ++i) {
          float const want =
              row.empty() ? quiet_nan<float>() : quantile(cpu{1}, row, qs[i], {.nan = nan});
          ASSERT_EQ(to_bits(found[2 * r + i]), to_bits(want)) << r;
        }
        auto const one = length < 20 ? kth_value_result<float>{quiet_nan<float>(), -1}
                                     : kth_value(cpu{1}, row, 20, {.nan = nan});
        ASSERT_EQ(kth.indices[r], one.index);
        ASSERT_EQ(to_bits(kth.values[r]), to_bits(one.value));
      }
    }
}

TEST(quantile, of_rows_without_a_length_of_their_own) {
  std::vector<std::int16_t> const x = {3, 1, 2, 9, 7, 8};
  EXPECT_EQ(median(cpu{}, rows{x.data(), 2, 3}), (std::vector<double>{2, 8}));
  auto const found = kth_value(cpu{}, rows{x.data(), 2, 3}, 4);
  EXPECT_EQ(found.indices, (std::vector<std::int64_t>{-1, -1}));
  EXPECT_EQ(found.values, (std::vector<std::int16_t>{0, 0}));
  std::vector<std::int16_t> values(2);
  std::vector<std::int64_t> indices(2);
  kth_value_into(cpu{}, rows{x.data(), 2, 3}, 2, values, indices, {.order = largest});
  EXPECT_EQ(values, (std::vector<std::int16_t>{2, 8}));
  EXPECT_EQ(indices, (std::vector<std::int64_t>{2, 2}));
}

TEST(quantile, names_what_it_refuses) {
  std::vector<float> const x(5), none;
  std::vector<float> out(1);
  std::vector<std::int64_t> indices;
  std::array const qs = {0.5, -0.25};
  auto const in_rows = rows{x.data(), 5, 1};
  EXPECT_EQ(failure_of([&] { kth_value(cpu{}, x, 6); }), "kth_value: k = 6 is larger than n = 5");
  EXPECT_EQ(failure_of([&] { kth_value(cpu{}, in_rows, 0); }), "kth_value: k = 0 is not from 1 on");
  EXPECT_EQ(failure_of([&] { kth_value_into(cpu{}, x, 1, out, indices); }),
            "kth_value_into: indices has room for 0, not for 1");
  EXPECT_EQ(failure_of([&] { quantile(cpu{}, x, qs); }), "quantile: q = -0.25 is not from 0 to 1");
  EXPECT_EQ(failure_of([&] { quantile(cpu{}, x, fraction{3, 2}); }),
            "quantile: q = 3/2 is not from 0 to 1");
  EXPECT_EQ(failure_of([&] { quantile(cpu{}, in_rows, fraction{0, 0}); }),
            "quantile: q = 0/0 is not from 0 to 1");
  EXPECT_EQ(failure_of([&] { quantile_into(cpu{}, in_rows, std::span(qs).first(1), out); }),
            "quantile_into: out has room for 1, not for 5");
  EXPECT_EQ(failure_of([&] { median(cpu{}, none); }), "median: the array is empty");
}

}  // namespace
}  // namespace tally
