// SPDX-License-Identifier: Apache-2.0
#include "tally/nodes/top_k.hpp"

#include <gtest/gtest.h>

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

using detail::path;
using detail::path_count;
using support::failure_of;
using namespace top_k_cases;
using namespace support;

struct asked {
  std::uint64_t k;
  top_k_options options;
};

template <class T>
void expect_same(top_k_result<T> const& got, top_k_result<T> const& want, std::string const& what) {
  ASSERT_EQ(got.indices, want.indices) << what;
  ASSERT_EQ(got.values.size(), want.values.size()) << what;
  if (want.values.empty()) return;
  auto const bytes = want.values.size() * sizeof(T);
  ASSERT_EQ(std::memcmp(got.values.data(), want.values.data(), bytes), 0) << what;
}

template <class T>
class top_k_of_ranks : public testing::Test {};
TYPED_TEST_SUITE(top_k_of_ranks, test_types<element_types>::type, type_names);

// By either way, whatever is told: of a k that is small, or found out first.
TYPED_TEST(top_k_of_ranks, is_that_of_one_call) {
  using T = TypeParam;
  source random(1);
  for (auto const& kind : inputs<T>())
    for (std::size_t const n : {0, 1, 5, 300, 3000}) {
      auto const values = kind.make(n, random);
      auto const in = values.span();
      int const ranks = 1 + int(random() % 8);
      std::vector<asked> all;
      std::vector<top_k_result<T>> want;
      for (auto const& options : all_options<T>())
        for (std::uint64_t const k : {std::size_t(0), std::size_t(n > 0), n / 3, n - n / 7, n}) {
          all.push_back({k, options});
          want.push_back(top_k(cpu{1}, in, k, options));
        }
      auto const at = any_cuts(n, ranks, random);
      on_slices(in, at, [&](communicator& them, std::span<T const> mine) {
        distributed const where{them, cpu{1}};
        for (std::size_t i = 0; i < all.size(); ++i)
          for (auto const many : {std::uint64_t(0), 4 * all[i].k, detail::many_to_tell}) {
            auto const got = detail::select_on_ranks(
                where, "top_k", mine, all[i].k, all[i].options, [] {}, many);
            expect_same(got.best, want[i],
                        top_k_cases::describe<T>(kind.name, n, all[i].k, all[i].options, ranks));
          }
      });
    }
}

// So large a k that ranks would tell too much: many of which one may be, or so many that they are
// not kept.
TEST(top_k_of_ranks, tells_no_more_than_is_needed) {
  auto const x = top_k_inputs::random_floats(300'000);
  source random(2);
  for (std::uint64_t const k : {20'000, 250'000})
    for (int const p : {2, 3, 8}) {
      auto const at = any_cuts(x.size(), p, random);
      auto const kept = path_count(path::top_k_filter);
      for (bool const sorted : {true, false}) {
        auto const want = top_k(cpu{2}, x, k, {.sorted = sorted});
        on_slices(std::span(x), at, [&](communicator& ranks, std::span<float const> mine) {
          distributed const where{ranks, cpu{1}};
          expect_same(top_k(where, mine, k, {.sorted = sorted}), want, "");
          detail::found_by_ranks<float> const told(detail::tell_best(
              ranks, detail::slice_here<float>{cpu{1}, mine, {}}, x.size(), k, {.sorted = sorted}));
          EXPECT_EQ(told.size(), x.size());
          std::uint64_t total = 0;
          for (auto const& one : told.found) total += one.indices.size();
          EXPECT_EQ(total, k);
        });
      }
      EXPECT_GT(path_count(path::top_k_filter), kept);
    }
}

TEST(top_k_of_ranks, writes_where_it_is_told) {
  std::vector<std::int16_t> const x{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5};
  std::vector<double> const beside{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  source random(3);
  for (int const p : {1, 2, 5}) {
    auto const at = any_cuts(x.size(), p, random);
    on_slices(std::span(x), at, [&](communicator& ranks, std::span<std::int16_t const> mine) {
      auto const entries = slice_of(std::span(beside), at, ranks.rank());
      for (bool const distinct : {false, true}) {
        std::vector<std::int16_t> values(6, -1);
        std::vector<std::int32_t> indices(6, -7);
        std::vector<double> chosen(6, -7);
        std::uint64_t count = 0;
        top_k_options const options{.distinct = distinct};
        distributed const where{ranks, cpu{1}};
        EXPECT_EQ(top_k_into(where, mine, 5, values, indices, &count, options), 5u);
        EXPECT_EQ(count, 5u);
        EXPECT_EQ(values[4], distinct ? 3 : 5);
        EXPECT_EQ(indices, distinct ? (std::vector<std::int32_t>{5, 7, 4, 2, 0, -7})
                                    : (std::vector<std::int32_t>{5, 7, 4, 8, 10, -7}));
        top_k_into(where, with_payload(mine, entries), 5, values, chosen, options);
        for (int i = 0; i < 6; ++i) EXPECT_EQ(chosen[std::size_t(i)], indices[std::size_t(i)]);
      }
    });
  }
}

TEST(top_k_of_ranks, takes_entries_of_any_type) {
  struct id {
    explicit id(int n) : number(n) {}
    int number;
  };
  run_ranks(2, [](communicator& ranks) {
    int const rank = ranks.rank();
    std::vector<float> const mine{1.f - float(rank), 4.f + float(rank)};
    bool const flags[] = {false, rank == 0};
    id const ids[] = {id(1), id(10 + rank)};
    std::vector<float> values(2);
    bool chosen[] = {true, false};
    id found[] = {id(0), id(0)};
    distributed const where{ranks, cpu{1}};
    top_k_into(where, with_payload(mine, flags), 2, values, chosen);
    top_k_into(where, with_payload(mine, ids), 2, values, found);
    EXPECT_EQ(values, (std::vector<float>{5, 4}));
    EXPECT_TRUE(!chosen[0] && chosen[1]);
    EXPECT_TRUE(found[0].number == 11 && found[1].number == 10);
  });
}

// Entries of what is not found are zero bytes.
TEST(top_k_of_ranks, gives_zeros_where_too_few_are_found) {
  std::vector<float> const x{1, quiet_nan<float>(), 2};
  std::vector<std::int64_t> const beside{7, 8, 9};
  on_slices(std::span(x), {0, 2, 3}, [&](communicator& ranks, std::span<float const> mine) {
    auto const entries = slice_of(std::span(beside), {0, 2, 3}, ranks.rank());
    std::vector<float> values(3);
    std::vector<std::int64_t> chosen(3, -1);
    EXPECT_EQ(top_k_into(distributed{ranks, cpu{1}}, with_payload(mine, entries), 3, values, chosen,
                         {.nan = skip}),
              2u);
    EXPECT_EQ(chosen, (std::vector<std::int64_t>{9, 7, 0}));
  });
}

TEST(top_k_of_ranks, reads_what_is_computed_and_runs_by_best) {
  auto const x = top_k_inputs::random_floats(20'000);
  auto const negative = [](float v) { return -v; };
  auto const want = top_k(cpu{1}, transform(x, negative), 9000);
  on_slices(std::span(x), {0, 5000, 5000, 20'000},
            [&](communicator& ranks, std::span<float const> mine) {
              for (auto const k : {10, 9000}) {
                auto first = want;
                first.values.resize(std::size_t(k)), first.indices.resize(std::size_t(k));
                expect_same(top_k(distributed{ranks, cpu{1}}, transform(mine, negative), k), first,
                            "computed");
              }
              expect_same(top_k(distributed{ranks, best()}, mine, 30'000 / 2),
                          top_k(cpu{1}, x, 15'000), "by best()");
            });
}

TEST(top_k_of_ranks, throws_on_all) {
  std::vector<float> const x(10);
  for (auto const many : {std::uint64_t(0), detail::many_to_tell})
    on_slices(std::span(x), {0, 3, 10}, [&](communicator& ranks, std::span<float const> mine) {
      distributed const where{ranks, cpu{1}};
      auto const select = [&](std::uint64_t k, auto const& require) {
        return failure_of(
            [&] { detail::select_on_ranks(where, "top_k", mine, k, {}, require, many); });
      };
      EXPECT_EQ(select(11, [] {}), "top_k: k = 11 is larger than n = 10");
      EXPECT_EQ(select(10, [] {}), "nothing was thrown");
      EXPECT_EQ(select(2,
                       [&] {
                         if (ranks.rank() == 1) throw error("no room");
                       }),
                ranks.rank() == 1 ? "no room" : "rank 1: no room");
    });
  on_slices(std::span(x), {0, 3, 10}, [&](communicator& ranks, std::span<float const> mine) {
    auto values = std::vector<float>(std::size_t(4 + ranks.rank()));
    std::vector<std::int64_t> indices(5);
    EXPECT_EQ(
        failure_of([&] { top_k_into(distributed{ranks, cpu{1}}, mine, 5, values, indices); }),
        std::string(ranks.rank() ? "rank 0: " : "") + "top_k_into: values has room for 4, k = 5");
  });
}

}  // namespace
}  // namespace tally
