// SPDX-License-Identifier: Apache-2.0
#include "nodes/shared_search.hpp"

#include <gtest/gtest.h>

#include "cpu/top_k_cases.hpp"
#include "cpu/top_k_inputs.hpp"
#include "support/slices.hpp"
#include "tally/cpu/path_counters.hpp"

namespace tally {
namespace {

using detail::path;
using detail::path_count;
using namespace top_k_cases;
using namespace support;

// Each of these places, and what the ranks say of it.
template <class T>
void expect_keys(std::span<T const> in, cuts const& at, top_k_options const& options,
                 std::vector<std::uint64_t> const& places, detail::top_k::search_limits limits,
                 std::string const& what) {
  using namespace detail::top_k;
  using R = represent<T>;
  auto const rank = ranking<R>::of(std::type_identity<T>{}, options);
  auto const key = [&](T x) { return rank(from_bits<R>(to_bits(x))); };
  std::vector<bits_of<T>> sorted;
  for (T const x : in) sorted.push_back(key(x));
  std::ranges::sort(sorted, std::greater<>());
  on_slices(in, at, [&](communicator& ranks, std::span<T const> mine) {
    detail::slice_here<T> const slice{cpu{1 + ranks.rank() % 2}, mine, {}};
    auto search = search_slices(ranks, slice, in.size(), options, limits);
    auto const found = search.at(places);
    ASSERT_EQ(found.size(), places.size()) << what;
    for (std::size_t i = 0; i < found.size(); ++i) {
      auto const& one = found[i];
      auto const want = sorted[std::size_t(places[i] - 1)];
      ASSERT_EQ(one.key, want) << what << " place " << places[i];
      auto const above = std::ranges::count_if(sorted, [&](auto k) { return k > want; });
      ASSERT_EQ(one.ties, places[i] - std::uint64_t(above)) << what;
      counts own = {};
      for (T const x : mine) own.above += key(x) > want, own.inside += key(x) == want;
      ASSERT_EQ(one.mine.above, own.above) << what;
      ASSERT_EQ(one.mine.inside, own.inside) << what;
      std::uint64_t there = 0;
      for (auto const& p : one.from)
        for (std::size_t j = 0; j < p.size; ++j) {
          if (rank(p.values[j]) != want) continue;
          ++there;
          ASSERT_EQ(key(mine[std::size_t(index_of(p, j))]), want) << what;
        }
      ASSERT_EQ(there, own.inside) << what;
    }
  });
}

template <class T>
class shared_search_of : public testing::Test {};
TYPED_TEST_SUITE(shared_search_of, test_types<element_types>::type, type_names);

// Whether few keys are told at once, or brackets are cut again and again, or nothing may be kept.
TYPED_TEST(shared_search_of, finds_the_keys_at_all_places) {
  using T = TypeParam;
  source random(1);
  for (auto const& kind : inputs<T>())
    for (std::size_t const n : {1, 100, 5000, 40'000})
      for (auto const order : {largest, smallest}) {
        auto const values = kind.make(n, random);
        std::vector<std::uint64_t> places;
        for (std::size_t i = 0; i < 20; ++i) places.push_back(i * i * (n - 1) / 361 + 1);
        places.erase(std::unique(places.begin(), places.end()), places.end());
        auto const at = any_cuts(n, 1 + int(random() % 8), random);
        for (auto const& limits : {detail::top_k::search_limits{}, {.few = 300}, {300, 1u << 30}})
          expect_keys<T>(values.span(), at, {.order = order}, places, limits,
                         kind.name + (" n = " + std::to_string(n)));
      }
}

// Which of the k best are this rank's, by their indices in the slice.
template <class T>
std::vector<std::int64_t> best_here(communicator& ranks, std::span<T const> mine, std::size_t n,
                                    std::uint64_t k, top_k_options const& options,
                                    detail::top_k::search_limits limits) {
  using namespace detail::top_k;
  using R = represent<T>;
  auto const rank = ranking<R>::of(std::type_identity<T>{}, options);
  detail::slice_here<T> const slice{cpu{1 + ranks.rank() % 2}, mine, {}};
  auto const found = search_slices(ranks, slice, n, options, limits).best(k);
  std::vector<std::int64_t> at;
  auto ties = found.t.ties;
  for (auto const& p : found.from)
    for (std::size_t j = 0; j < p.size; ++j) {
      auto const key = rank(p.values[j]);
      if (key > found.t.key || (key == found.t.key && ties && ties--)) at.push_back(index_of(p, j));
    }
  return at;
}

TYPED_TEST(shared_search_of, shares_out_the_best) {
  using T = TypeParam;
  source random(2);
  for (auto const& kind : inputs<T>())
    for (std::size_t const n : {1, 5000, 40'000})
      for (auto const order : {largest, smallest}) {
        auto const values = kind.make(n, random);
        top_k_options const options{.order = order, .sorted = false};
        auto const at = any_cuts(n, 1 + int(random() % 8), random);
        for (std::uint64_t const k : {std::size_t(1), n / 50 + 1, n / 3 + 1, n})
          for (auto const& limits : {detail::top_k::search_limits{.few = 300}, {300, 1u << 30}}) {
            auto const want = top_k(cpu{1}, values.span(), k, options).indices;
            on_slices(values.span(), at, [&](communicator& ranks, std::span<T const> mine) {
              auto got = best_here(ranks, mine, n, k, options, limits);
              auto const begin = std::int64_t(at[std::size_t(ranks.rank())]);
              for (auto& i : got) i += begin;
              auto const first = std::ranges::lower_bound(want, begin);
              auto const last = std::ranges::lower_bound(want, begin + std::int64_t(mine.size()));
              ASSERT_EQ(got, std::vector(first, last)) << kind.name << " n = " << n << " k = " << k;
            });
          }
      }
}

std::uint64_t times(path which, std::vector<float> const& in, std::uint64_t place) {
  auto const before = path_count(which);
  expect_keys<float>(in, {0, in.size() / 3, in.size()}, {}, {place}, {}, "");
  return path_count(which) - before;
}

TEST(shared_search, tells_what_is_in_a_bracket) {
  auto const x = top_k_inputs::random_floats(1 << 18);
  EXPECT_EQ(times(path::top_k_filter, x, 1 << 17), 2);  // once a rank
  EXPECT_EQ(times(path::top_k_radix, x, 1 << 17), 0);
  EXPECT_EQ(times(path::top_k_band, x, 1 << 17), 0);
}

TEST(shared_search, cuts_a_large_bracket_again) {
  EXPECT_GE(times(path::top_k_band, top_k_inputs::random_floats(1 << 22), 1 << 21), 2);
}

TEST(shared_search, counts_common_keys) {
  std::vector<float> x(1 << 18, 1);
  for (std::size_t i = 0; i < x.size(); i += 3) x[i] = 2;
  EXPECT_EQ(times(path::top_k_ties, x, 10), 2);
  EXPECT_EQ(times(path::top_k_ties, x, x.size() / 3 + 10), 2);
}

// The samples are those of slices.
TEST(shared_search, takes_histograms_where_samples_mislead) {
  std::size_t const n = 1 << 18, first = n / 3;
  auto x = top_k_inputs::random_floats(n);
  auto const samples = double(detail::sample_size(n, 16));
  for (auto const& [begin, size] : {std::pair(std::size_t(0), first), {first, n - first}}) {
    auto const share = std::uint64_t(std::ceil(samples * (double(size) / double(n))));
    detail::strata const places(size, share);
    for (std::uint64_t i = 0; i < share; ++i) x[begin + places.sample(i)] += 1e9f;
  }
  EXPECT_EQ(times(path::top_k_radix, x, 20'000), 2);
}

}  // namespace
}  // namespace tally
