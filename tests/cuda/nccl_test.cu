// SPDX-License-Identifier: Apache-2.0
#include "tally/nccl.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "support/failure_of.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/devices.hpp"
#include "tally/distributed.hpp"
#include "tally/nodes/all_gather.hpp"
#include "tally/run_ranks.hpp"
#include "tally/tally.hpp"

namespace {

using namespace tally;
using support::failure_of;

// Calls f for one rank, and for every power of two of them that there are GPUs for.
template <class F>
void for_ranks(F const& f) {
  for (int size = 1; size <= int(gpus().size()); size *= 2)
    run_ranks(size, [&](communicator& threads) {
      nccl_communicator ranks(threads, threads.rank());
      ASSERT_EQ(ranks.rank(), threads.rank());
      ASSERT_EQ(ranks.size(), size);
      ASSERT_EQ(ranks.device(), threads.rank());
      f(ranks);
    });
}

TEST(nccl, gathers_and_adds) {
  for_ranks([](communicator& ranks) {
    auto const p = std::size_t(ranks.size()), own = std::size_t(ranks.rank());
    for (std::size_t const n : {0, 1, 3, 1000, 100'000}) {
      std::vector<std::byte> const mine(n, std::byte(own + 1));
      std::vector<std::byte> all(n * p);
      ranks.all_gather(mine, all);
      for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], std::byte(i / n + 1)) << n;

      std::vector<std::uint64_t> sums(n, ~own), parts(n * p), part(n);
      ranks.all_reduce(sums);
      for (auto const x : sums) ASSERT_EQ(x, 0 - p - p * (p - 1) / 2) << n;
      for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = i * (own + 1) << 30;
      ranks.reduce_scatter(parts, part);
      for (std::size_t i = 0; i < n; ++i)
        ASSERT_EQ(part[i], (own * n + i) * (p * (p + 1) / 2) << 30) << n;
    }
  });
}

TEST(nccl, tells_bytes_of_any_length) {
  for_ranks([](communicator& ranks) {
    auto const bytes = [](int r) { return std::vector(std::size_t(r) * 3000 + 7, std::byte(r)); };
    auto const all = detail::all_gather_bytes(ranks, bytes(ranks.rank()));
    for (int r = 0; r < ranks.size(); ++r) EXPECT_EQ(all[std::size_t(r)], bytes(r));
  });
}

TEST(nccl, is_made_of_an_id) {
  nccl_communicator alone(make_nccl_id(), 0, 1, 0);
  std::vector<std::uint64_t> sums{1, 2};
  alone.all_reduce(sums);
  EXPECT_EQ(sums, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(failure_of([] { nccl_communicator(make_nccl_id(), 2, 2, 0); }),
            "nccl_communicator: rank = 2, size = 2");
}

}  // namespace
