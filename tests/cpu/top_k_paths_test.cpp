// SPDX-License-Identifier: Apache-2.0
//
// Which way a top-k takes, and that it ends where a stable sort does.
#include "tally/top_k.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "cpu/top_k/bracket.hpp"
#include "cpu/top_k_inputs.hpp"
#include "cpu/top_k_oracle.hpp"
#include "tally/cpu/path_counters.hpp"

namespace tally {
namespace {

using detail::path;
using detail::path_count;
using top_k_inputs::misleading;
using top_k_inputs::random_floats;
using top_k_oracle::expect_best;
using top_k_oracle::ranked;

// Runs one call, compares it with a stable sort, and says how often `which` was taken meanwhile.
template <class T>
std::uint64_t times_taken(path which, std::vector<T> const& in, std::uint64_t k,
                          top_k_options options = {}) {
  std::uint64_t const before = path_count(which);
  auto const got = top_k(cpu{1}, in, k, options);
  expect_best<T>(in, ranked<T>(in, options), k, options, got, "path");
  return path_count(which) - before;
}

TEST(top_k_paths, few_are_inserted) {
  EXPECT_EQ(times_taken(path::top_k_few, random_floats(1024), 16), 1);
  EXPECT_EQ(times_taken(path::top_k_few, random_floats(1024), 17), 0);
  EXPECT_EQ(times_taken(path::top_k_few, random_floats(64 << 10), 64), 1);
  EXPECT_EQ(times_taken(path::top_k_few, random_floats((64 << 10) - 1), 64), 0);
  EXPECT_EQ(times_taken(path::top_k_few, random_floats(1 << 20), 65), 0);
}

// By several threads: equal ones in each piece, NaN, pieces of which one has all the best.
TEST(top_k_paths, few_of_pieces_are_put_together) {
  std::size_t const n = 300'000;
  for (auto const order : {largest, smallest})
    for (auto const nan : {propagate, skip})
      for (std::uint64_t k : {1, 10, 64}) {
        auto v = random_floats(n);
        for (std::size_t i = 5; i < n; i += 9973) v[i] = i % 2 ? 1e9f : -1e9f;
        for (std::size_t i = n - 7; i < n; ++i) v[i] = quiet_nan<float>();
        top_k_options const options = {.order = order, .nan = nan};
        auto const ranks = ranked<float>(v, options);
        std::uint64_t const before = path_count(path::top_k_few);
        for (int threads : {1, 2, 3, 8})
          expect_best<float>(v, ranks, k, options, top_k(cpu{threads}, v, k, options), "pieces");
        EXPECT_EQ(path_count(path::top_k_few) - before, 4) << k;
      }
}

TEST(top_k_paths, few_that_ascend_are_given_up) {
  std::vector<std::int32_t> v(200'000);
  std::iota(v.begin(), v.end(), 0);
  EXPECT_EQ(times_taken(path::top_k_few, v, 10), 0);
  for (std::size_t i = 0; i < v.size() / 2; ++i) v[i] = 7;  // only what the second thread reads
  auto const got = top_k(cpu{2}, v, 10);
  EXPECT_EQ(got.indices.front(), 199'999);
  EXPECT_EQ(got.indices.back(), 199'990);
}

TEST(top_k_paths, a_small_array_takes_the_direct_one) {
  EXPECT_EQ(times_taken(path::top_k_direct, random_floats(100), 20), 1);
  EXPECT_EQ(times_taken(path::top_k_direct, random_floats(1025), 17), 1);
  std::vector<int> ascending(1024);
  std::iota(ascending.begin(), ascending.end(), 0);
  EXPECT_EQ(times_taken(path::top_k_direct, ascending, 16), 1);
}

TEST(top_k_paths, some_of_many_are_filtered_in_one_read) {
  EXPECT_EQ(times_taken(path::top_k_filter, random_floats(100'000), 100), 1);
}

TEST(top_k_paths, half_of_many_take_a_band) {
  EXPECT_EQ(times_taken(path::top_k_band, random_floats(1 << 20), 1 << 19), 1);
}

TEST(top_k_paths, common_values_are_counted_not_kept) {
  EXPECT_EQ(times_taken(path::top_k_ties, std::vector<float>(200'000, 1.0f), 100), 1);
  std::mt19937_64 random(9);
  std::vector<std::int32_t> v(500'000);
  for (auto& x : v) x = std::int32_t(random() % 3);
  for (std::size_t k : {std::size_t(100), v.size() / 3, v.size() / 2, v.size() - 1})
    EXPECT_EQ(times_taken(path::top_k_ties, v, k), 1) << k;
}

// The sample has the least elements, so that its bracket lies too low: for some k it begins right
// below the k-th, and has nothing of the k best.
TEST(top_k_paths, a_bracket_right_below_the_k_th_is_no_bracket_of_it) {
  using detail::top_k::ranking;
  std::size_t const n = 1 << 20, samples = detail::sample_size(n, 16);
  std::vector<std::uint32_t> in(n, 0);
  detail::strata const places(n, samples);
  for (std::size_t i = 0; i < samples; ++i) in[places.sample(i)] = 1;
  std::uint32_t low = 0, high = std::uint32_t(samples);
  for (auto& x : in) x = x ? low++ : high++;

  auto const rank = ranking<std::uint32_t>::of(std::type_identity<std::uint32_t>{}, {});
  int found = 0;
  for (std::uint64_t k = n - 300; k < n; ++k) {
    auto const range = detail::top_k::bracket_of(rank, in.data(), n, k, false, 1).range;
    if (n - 1 - range.high != k) continue;
    ++found;
    EXPECT_EQ(times_taken(path::top_k_filter_retry, in, k), 1) << k;
  }
  EXPECT_GT(found, 0);
}

TEST(top_k_paths, a_misleading_sample_is_found_out) {
  auto const few = misleading(1 << 18, 4), many = misleading(1 << 19, 16);
  EXPECT_EQ(times_taken(path::top_k_filter_retry, few, 5000), 1);
  EXPECT_EQ(times_taken(path::top_k_radix, few, 5000), 1);
  EXPECT_EQ(times_taken(path::top_k_radix_gather, few, 5000), 1);
  EXPECT_EQ(times_taken(path::top_k_filter_retry, many, 1 << 18), 1);
}

TEST(top_k_paths, histograms_alone_end_in_a_common_value) {
  auto v = misleading(1 << 18, 4);
  for (float& x : v) x = x < 1e9f ? 5.0f : x;
  EXPECT_EQ(times_taken(path::top_k_radix, v, 5000), 1);
}

TEST(top_k_paths, a_sample_that_expects_too_few_runs_out_of_room) {
  std::size_t const n = 1 << 19;
  auto v = random_floats(n);
  std::uint64_t const samples = detail::sample_size(n, 4);
  for (float& x : v) x += 1e9f;
  detail::strata const places(n, samples);
  for (std::uint64_t i = 0; i < samples; ++i) v[places.sample(i)] = float(i);
  EXPECT_EQ(times_taken(path::top_k_filter_retry, v, 100), 1);
}

TEST(top_k_paths, repeats_are_dropped_and_different_values_merged) {
  std::vector<float> v(200'000);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = float(i % 1000);
  EXPECT_GE(times_taken(path::top_k_seen, v, 1000, {.distinct = true}), v.size() / 2);
  EXPECT_GE(
      times_taken(path::top_k_distinct_merge, random_floats(300'000), 100'000, {.distinct = true}),
      2);
}

TEST(top_k_paths, streams_compact_and_split_over_threads) {
  auto const v = random_floats(300'000);
  for (bool distinct : {false, true})
    for (std::uint64_t k : {10, 150'000}) {
      std::uint64_t const compact = path_count(path::top_k_stream_compact),
                          merge = path_count(path::top_k_distinct_merge),
                          split = path_count(path::top_k_parallel);
      top_k_options const options = {.distinct = distinct};
      selector<float> stream(k, options);
      stream.add(cpu{3}, v);
      expect_best<float>(v, ranked<float>(v, options), k, options, std::move(stream).result(),
                         "stream");
      EXPECT_EQ(path_count(path::top_k_stream_compact) > compact, !distinct);
      EXPECT_EQ(path_count(path::top_k_distinct_merge) > merge, distinct);
      EXPECT_EQ(path_count(path::top_k_parallel) - split, k == 10 ? 1 : 0);
    }
}

}  // namespace
}  // namespace tally
