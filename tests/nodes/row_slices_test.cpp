// SPDX-License-Identifier: Apache-2.0
#include "tally/nodes/row_slices.hpp"

#include <gtest/gtest.h>

#include <array>

#include "cpu/top_k_cases.hpp"
#include "support/failure_of.hpp"
#include "support/slices.hpp"
#include "tally/automatic.hpp"
#include "tally/distributed.hpp"

namespace tally {
namespace {

using support::failure_of;
using namespace top_k_cases;
using namespace support;

// Rows of any length, and for each rank the slices of all of them, anyhow in its memory.
template <class T>
struct shared_rows {
  std::vector<array<T>> rows;
  std::vector<cuts> at;

  struct of_rank {
    std::vector<detail::one<T>> elements;
    std::vector<std::int64_t> starts, lengths;
    std::int64_t step;

    tally::rows<T const> all() const {
      row_layout const layout{.count = starts.size(),
                              .length = elements.size(),
                              .step = step,
                              .starts = starts.data(),
                              .lengths = lengths.data()};
      return {elements.empty() ? nullptr : &elements.data()->value, layout};
    }
  };

  shared_rows(input_kind<T> const& kind, std::span<std::size_t const> sizes, int ranks,
              source& random) {
    for (auto const n : sizes) {
      rows.push_back(kind.make(n, random));
      at.push_back(any_cuts(n, ranks, random));
    }
  }
  of_rank slices(int rank, std::int64_t step) const {
    of_rank mine{{}, {}, {}, step};
    for (std::size_t r = 0; r < rows.size(); ++r) {
      auto const one = slice_of(rows[r].span(), at[r], rank);
      mine.starts.push_back(std::int64_t(mine.elements.size()));
      mine.lengths.push_back(std::int64_t(one.size()));
      for (T const x : one)
        for (int i = 0; i < step; ++i) mine.elements.push_back({x});
    }
    return mine;
  }
  // As one rank has them.
  of_rank whole() const {
    of_rank all{{}, {}, {}, 1};
    for (auto const& row : rows) {
      all.starts.push_back(std::int64_t(all.elements.size()));
      all.lengths.push_back(std::int64_t(row.span().size()));
      for (T const x : row.span()) all.elements.push_back({x});
    }
    return all;
  }
};

template <class T>
bool same_bits(std::vector<T> const& a, std::vector<T> const& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

template <class T>
class selections_of_rows : public testing::Test {};
TYPED_TEST_SUITE(selections_of_rows, test_types<element_types>::type, type_names);

TYPED_TEST(selections_of_rows, are_selected_from_as_by_one_call) {
  using T = TypeParam;
  source random(1);
  std::array<std::size_t, 6> const sizes{7, 0, 300, 1, 3000, 12};
  std::vector<std::int64_t> const each{3, 1, -2, 5, 20, 9};
  for (auto const& kind : inputs<T>()) {
    int const ranks = 1 + int(random() % 8);
    shared_rows<T> const x(kind, sizes, ranks, random);
    auto const whole = x.whole();
    run_ranks(ranks, [&](communicator& them) {
      auto const mine = x.slices(them.rank(), 1 + them.rank() % 2);
      distributed const where{them, cpu{1}};
      for (auto const& options : all_options<T>())
        for (auto const& k : {k_of_rows{nullptr, 10}, k_of_rows{each.data(), 12}}) {
          auto const got = top_k(where, mine.all(), k, options);
          auto const want = top_k(cpu{1}, whole.all(), k, options);
          ASSERT_EQ(got.counts, want.counts) << kind.name;
          ASSERT_EQ(got.indices, want.indices) << kind.name;
          ASSERT_TRUE(same_bits(got.values, want.values)) << kind.name;
        }
    });
  }
}

// One of the rows is so long that its slices stay where they are.
TYPED_TEST(selections_of_rows, have_the_order_statistics_of_one_call) {
  using T = TypeParam;
  source random(2);
  std::array<std::size_t, 7> const sizes{7, 0, 300, 70'000, 1, 3000, 12};
  std::array const qs = {0.0, 0.3, 0.5, 1.0};
  for (auto const& kind : inputs<T>()) {
    int const ranks = 1 + int(random() % 8);
    shared_rows<T> const x(kind, sizes, ranks, random);
    auto const whole = x.whole();
    run_ranks(ranks, [&](communicator& them) {
      auto const mine = x.slices(them.rank(), 1 + them.rank() % 2);
      distributed const where{them, cpu{1}};
      for (auto const nan : {propagate, skip}) {
        for (auto const order : {smallest, largest})
          for (std::uint64_t const k : {1, 12, 50'000, 80'000}) {
            auto const got = kth_value(where, mine.all(), k, {order, nan});
            auto const want = kth_value(cpu{1}, whole.all(), k, {order, nan});
            ASSERT_EQ(got.indices, want.indices) << kind.name;
            ASSERT_TRUE(same_bits(got.values, want.values)) << kind.name;
          }
        for (auto const method : {interpolation::linear, interpolation::higher})
          ASSERT_TRUE(same_bits(quantile(where, mine.all(), qs, {method, nan}),
                                quantile(cpu{1}, whole.all(), qs, {method, nan})))
              << kind.name;
      }
      ASSERT_TRUE(same_bits(median(where, mine.all()), median(cpu{1}, whole.all())));
    });
  }
}

// More than are told at once.
TEST(selections_of_rows, may_be_many) {
  std::size_t const count = 3000, length = 1000;
  std::vector<std::uint16_t> x(count * length);
  source random(3);
  for (auto& v : x) v = std::uint16_t(random());
  auto const want = median(cpu{2}, rows{x.data(), count, length});
  run_ranks(3, [&](communicator& ranks) {
    auto const first = std::size_t(ranks.rank()) * 100;
    std::size_t const size = ranks.rank() == 2 ? 800 : 100;
    rows const mine{x.data() + first, count, size, length};
    EXPECT_EQ(median(distributed{ranks, cpu{1}}, mine), want);
  });
}

TEST(selections_of_rows, are_written_where_it_is_told) {
  // Two rows, of which rank 0 has two columns, and rank 1 three.
  std::vector<float> const x{3, 1, 4, 1, 5, 9, 2, 6, 5, 3};
  std::vector<std::int32_t> const ids{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  run_ranks(2, [&](communicator& ranks) {
    auto const first = std::size_t(ranks.rank()) * 2, size = first + 2 - first / 2;
    rows const mine{x.data() + first, 2, size, 5};
    auto const entries = std::span(ids).subspan(first);
    auto const run = [&](auto const& where) {
      std::vector<float> values(6);
      std::vector<std::int32_t> indices(6), chosen(6);
      std::vector<std::uint64_t> counts(2);
      top_k_into(where, mine, 3, values, indices, counts.data());
      EXPECT_EQ(values, (std::vector<float>{5, 4, 3, 9, 6, 5}));
      EXPECT_EQ(indices, (std::vector<std::int32_t>{4, 2, 0, 0, 2, 3}));
      EXPECT_EQ(counts, (std::vector<std::uint64_t>{3, 3}));
      top_k_into(where, with_payload(mine, entries), 3, values, chosen, counts.data());
      EXPECT_EQ(chosen, (std::vector<std::int32_t>{4, 2, 0, 5, 7, 8}));
      std::vector<float> found(2);
      std::vector<std::int64_t> at(2);
      kth_value_into(where, mine, 5, found, at);
      EXPECT_EQ(found, (std::vector<float>{5, 9}));
      EXPECT_EQ(at, (std::vector<std::int64_t>{4, 0}));
      quantile_into(where, mine, std::array{0.5}, found);
      EXPECT_EQ(found, (std::vector<float>{3, 5}));
    };
    run(distributed{ranks, cpu{1}});
    run(distributed{ranks, best()});
  });
}

TEST(selections_of_rows, throw_on_all) {
  std::vector<float> const x(12);
  run_ranks(2, [&](communicator& ranks) {
    distributed const where{ranks, cpu{1}};
    auto const own = std::uint64_t(ranks.rank());
    EXPECT_EQ(failure_of([&] { median(where, rows{x.data(), 2 + own, 3}); }),
              "median: in has 3 rows on rank 1, and on rank 0 2");
    EXPECT_EQ(failure_of([&] { top_k(where, rows{x.data(), 2 + own, 3}, 1); }),
              "top_k: in has 3 rows on rank 1, and on rank 0 2");
    auto values = std::vector<float>(std::size_t(4 - own));
    std::vector<std::int64_t> indices(4);
    EXPECT_EQ(
        failure_of([&] { top_k_into(where, rows{x.data(), 2, 3}, 2, values, indices, nullptr); }),
        std::string(own ? "" : "rank 1: ") + "top_k_into: values has room for 3, k = 4");
    std::vector<std::int64_t> const sizes{2, own ? -1 : 2};
    rows const uneven{x.data(), {.count = 2, .length = 3, .stride = 3, .lengths = sizes.data()}};
    EXPECT_NE(failure_of([&] { median(where, uneven); }), "nothing was thrown");
    EXPECT_NE(failure_of([&] { top_k(where, uneven, 1); }), "nothing was thrown");
  });
}

}  // namespace
}  // namespace tally
