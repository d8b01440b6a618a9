// SPDX-License-Identifier: Apache-2.0
#include "ladder/memory/06_broadcast.cu"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "tally/cuda/device_array.cuh"

namespace ladder::memory {
namespace {

// Notes which word of the row a lane reads at each of its steps.
struct noted_row {
  int* words;
  int step = 0;
  __device__ int operator[](unsigned word) {
    words[step++ * 32 + threadIdx.x] = int(word);
    return 0;
  }
};

__global__ void note_words(int* words) { total_of_row(noted_row{words}); }

// Lanes that read every word, each beginning with another one, would have no conflicts either.
TEST(broadcast, is_of_the_word_that_all_lanes_read_at_a_step) {
  tally::device_array<int> const words(32 * 32);
  words.fill_bytes(0xff);  // nobody
  tally::launch(note_words, 1, 32)(words.data());
  std::vector<int> expected(32 * 32);
  for (int i = 0; i < 32 * 32; ++i) expected[i] = i / 32;
  EXPECT_EQ(words.to_host(), expected);
}

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
