// SPDX-License-Identifier: Apache-2.0
#include "ladder/memory/06_broadcast.cu"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "tally/cuda/device_array.cuh"

namespace ladder::memory {
namespace {

// Lanes that read a word each, 32 times, would come to the same in all.
TEST(broadcast, gives_each_lane_every_word) {
  std::vector<int> numbers(32);
  std::iota(numbers.begin(), numbers.end(), 0);
  tally::device_array<int> const in{std::span<int const>(numbers)};
  tally::device_array<long long> const out(32);
  tally::launch(broadcast, 1, 32, tile_bytes(32, {.rows = 1}))(in.data(), 32, out.data());
  EXPECT_EQ(out.to_host(), std::vector<long long>(32, 31 * 32 / 2));
}

}  // namespace
}  // namespace ladder::memory
