// SPDX-License-Identifier: Apache-2.0
#include "ladder/memory/05_banks.cu"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "tally/cuda/device_array.cuh"

namespace ladder::memory {
namespace {

// What each lane adds up of the numbers 0, 1, 2, ... 1023, which one warp reads.
std::vector<long long> sums_of_lanes(unsigned distance) {
  std::vector<int> numbers(1024);
  std::iota(numbers.begin(), numbers.end(), 0);
  tally::device_array<int> const in{std::span<int const>(numbers)};
  tally::device_array<long long> const out(32);
  tally::launch(banks, 1, 32, tile_bytes(32, {.rows = 32, .pitch = 33}))(in.data(), 1024, distance,
                                                                         out.data());
  return out.to_host();
}

// At distance d a lane reads d neighbours of every 32 * d numbers, at 33 a row of 32.
std::vector<long long> expected(int distance) {
  int const neighbours = std::min(distance, 32);
  std::vector<long long> sums(32);
  for (int i = 0; i < 1024; ++i) sums[i / neighbours % 32] += i;
  return sums;
}

TEST(banks, are_read_by_lanes_that_are_as_far_apart_as_the_rung_says) {
  for (int const distance : {1, 2, 4, 8, 16, 32, 33})
    EXPECT_EQ(sums_of_lanes(distance), expected(distance)) << distance;
}

}  // namespace
}  // namespace ladder::memory
