// SPDX-License-Identifier: Apache-2.0
#include "tally/gpu/copy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "support/host_gpu.hpp"

namespace {

TEST(gpu_copy, holds_all_pieces_whatever_room_there_was_at_first) {
  std::vector<std::int32_t> all(10'000);
  std::iota(all.begin(), all.end(), 0);
  auto const bytes = std::as_bytes(std::span(all));
  for (std::size_t room : {std::size_t(0), std::size_t(100), bytes.size()}) {
    support::host_memory there;
    auto where = support::gpu_with(there);
    tally::gpu later{.opened = {}};
    {
      tally::gpu_copy copy(where, room);
      later = std::move(where);
      for (std::size_t at = 0, size = 1; at < bytes.size(); at += size, ++size) {
        size = std::min(size, bytes.size() - at);
        copy.append(bytes.subspan(at, size));
        ASSERT_EQ(there.allocations.size(), 1u);
      }
      EXPECT_EQ(copy.bytes(), bytes.size());
      auto const held = copy.as<std::int32_t>();
      EXPECT_EQ(std::vector(held.begin(), held.end()), all) << room;
    }
    EXPECT_TRUE(there.allocations.empty());
    EXPECT_EQ(there.entered, 0);
  }
}

}  // namespace
