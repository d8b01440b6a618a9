// SPDX-License-Identifier: Apache-2.0
#include "tally/gpu/output.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "support/failure_of.hpp"
#include "support/host_gpu.hpp"

namespace {

TEST(gpu_output, brings_back_any_part_of_what_was_written) {
  support::host_memory there;
  auto where = support::gpu_with(there);
  tally::gpu later{.opened = {}};
  {
    tally::gpu_output room(where, 100 * sizeof(std::int32_t));
    later = std::move(where);
    auto const to = room.as<std::int32_t>();
    EXPECT_EQ(to.size(), 100u);
    std::iota(to.begin(), to.end(), 0);
    std::vector<std::int32_t> part(10);
    room.read(90 * sizeof(std::int32_t), std::as_writable_bytes(std::span(part)));
    EXPECT_EQ(part, std::vector<std::int32_t>(to.begin() + 90, to.end()));
    EXPECT_EQ(there.entered, 0);
  }
  EXPECT_TRUE(there.allocations.empty());
}

TEST(gpu_output, of_nothing_takes_no_memory) {
  support::host_memory there;
  auto where = support::gpu_with(there);
  tally::gpu_output const none(where, 0);
  none.read(0, {});
  EXPECT_TRUE(there.allocations.empty());
  EXPECT_TRUE(none.as<float>().empty());
}

TEST(gpu_output, reads_no_further_than_it_goes) {
  support::host_memory there;
  auto where = support::gpu_with(there);
  tally::gpu_output const room(where, 10);
  std::vector<std::byte> part(4);
  EXPECT_EQ(support::failure_of([&] { room.read(7, part); }),
            "gpu_output: read 4 bytes from 7 on, where there are 10");
  EXPECT_EQ(support::failure_of([&] { room.read(11, {}); }),
            "gpu_output: read 0 bytes from 11 on, where there are 10");
}

}  // namespace
