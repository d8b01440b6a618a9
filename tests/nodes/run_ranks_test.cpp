// SPDX-License-Identifier: Apache-2.0
#include "tally/run_ranks.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "tally/error.hpp"

namespace tally {
namespace {

TEST(run_ranks, calls_each_rank_once) {
  for (int const size : {1, 2, 5}) {
    auto calls = std::vector<std::atomic<int>>(std::size_t(size));
    run_ranks(size, [&](communicator& ranks) {
      EXPECT_EQ(ranks.size(), size);
      ++calls[std::size_t(ranks.rank())];
    });
    for (auto const& n : calls) EXPECT_EQ(n, 1);
  }
  EXPECT_THROW(run_ranks(0, [](communicator&) {}), error);
}

TEST(run_ranks, gathers_and_adds) {
  for (int const size : {1, 2, 7})
    run_ranks(size, [](communicator& ranks) {
      auto const p = std::size_t(ranks.size()), own = std::size_t(ranks.rank());
      for (int again = 0; again < 100; ++again) {
        std::vector<std::byte> const mine(3, std::byte(own + std::size_t(again)));
        std::vector<std::byte> all(3 * p);
        ranks.all_gather(mine, all);
        for (std::size_t i = 0; i < all.size(); ++i)
          ASSERT_EQ(all[i], std::byte(i / 3 + std::size_t(again)));

        std::vector<std::uint64_t> sums{own, ~std::uint64_t(0)};
        ranks.all_reduce(sums);
        ASSERT_EQ(sums, (std::vector<std::uint64_t>{p * (p - 1) / 2, 0 - std::uint64_t(p)}));

        std::vector<std::uint64_t> parts(2 * p), part(2);
        for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = i * own;
        ranks.reduce_scatter(parts, part);
        for (std::size_t i = 0; i < 2; ++i) ASSERT_EQ(part[i], (2 * own + i) * (p * (p - 1) / 2));
      }
    });
}

TEST(run_ranks, throws_what_a_rank_threw_and_leaves_none_waiting) {
  std::atomic<int> woken = 0;
  auto const f = [&](communicator& ranks) {
    if (ranks.rank() == 2) throw error("the disk is full");
    std::vector<std::uint64_t> one{1};
    try {
      ranks.all_reduce(one);
    } catch (error const& e) {
      EXPECT_STREQ(e.what(), "run_ranks: rank 2 has ended by an error");
      ++woken;
      throw;
    }
  };
  try {
    run_ranks(4, f);
    ADD_FAILURE();
  } catch (error const& e) {
    EXPECT_STREQ(e.what(), "the disk is full");
  }
  EXPECT_EQ(woken, 3);
}

// Sanitizers reserve more memory than any limit allows.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(run_ranks, throws_and_leaves_none_waiting_where_a_thread_cannot_be_started) {
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  rlimit const some{std::min<rlim_t>(before.rlim_cur, rlim_t(1) << 30), before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_AS, &some), 0);
  EXPECT_ANY_THROW(run_ranks(1000, [](communicator& ranks) {
    std::uint64_t one[] = {1};
    ranks.all_reduce(one);
  }));
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
}
#endif

}  // namespace
}  // namespace tally
