// SPDX-License-Identifier: Apache-2.0
#include "tally/nodes/all_gather.hpp"

#include <gtest/gtest.h>

#include <new>
#include <string>

#include "support/failure_of.hpp"
#include "tally/error.hpp"
#include "tally/run_ranks.hpp"

namespace tally {
namespace {

using detail::all_gather_bytes;
using detail::all_gather_result;
using bytes = std::vector<std::byte>;

bytes some(std::size_t n, int rank) { return bytes(n, std::byte(rank + 1)); }

// Sizes at the end of what goes with the heads, and beyond.
TEST(all_gather, tells_all_of_every_rank) {
  for (int const size : {1, 2, 3, 8})
    run_ranks(size, [](communicator& ranks) {
      for (std::size_t const n : {0, 1, 1007, 1008, 1009, 5000}) {
        auto const length = [&](int r) { return r % 2 ? n : n / 3; };
        auto const found = all_gather_bytes(ranks, some(length(ranks.rank()), ranks.rank()));
        ASSERT_EQ(found.size(), std::size_t(ranks.size()));
        for (int r = 0; r < ranks.size(); ++r)
          EXPECT_EQ(found[std::size_t(r)], some(length(r), r)) << n;
      }
    });
}

TEST(all_gather, throws_on_all_ranks_if_one_failed) {
  std::string const long_message(2000, 'x');
  for (auto const& message : {std::string("in is empty"), long_message})
    run_ranks(3, [&](communicator& ranks) {
      auto const fails = [&]() -> bytes {
        if (ranks.rank() == 1) throw error(message);
        return some(3, 0);
      };
      try {
        all_gather_result(ranks, fails);
        ADD_FAILURE();
      } catch (error const& e) {
        EXPECT_EQ(e.what(), (ranks.rank() == 1 ? "" : "rank 1: ") + message);
      }
      EXPECT_EQ(all_gather_bytes(ranks, some(1, ranks.rank())).size(), 3u);  // they go on
    });
}

TEST(all_gather, of_no_memory_is_an_error_on_all_ranks) {
  run_ranks(2, [](communicator& ranks) {
    auto const fails = [&]() -> bytes {
      if (ranks.rank() == 1) throw std::bad_alloc();
      return {};
    };
    EXPECT_EQ(support::failure_of([&] { all_gather_result(ranks, fails); }),
              ranks.rank() == 1 ? "not enough memory" : "rank 1: not enough memory");
  });
}

}  // namespace
}  // namespace tally
