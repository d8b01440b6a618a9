// SPDX-License-Identifier: Apache-2.0
#include "tally/device/grid/sparse_totals.cuh"

#include <gtest/gtest.h>

#include <vector>

#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

namespace {

using namespace tally;

// What the words of a block are, from launch to launch: none, some or most are not zero.
__host__ __device__ std::uint64_t word_of(int block, int i, unsigned launched) {
  std::uint64_t x =
      (std::uint64_t(launched) << 40) + (std::uint64_t(block) << 20) + unsigned(i) + 1;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  x ^= x >> 31;
  return x % 8 < unsigned(block) % 6 ? x : 0;
}

template <int Words>
struct job {
  device::mailbox by;
  std::uint64_t* sums;
};

template <int Words>
__global__ void sum_words(job<Words> const j) {
  int const blocks = int(gridDim.x) - 1;
  if (blockIdx.x > 0) {
    int const block = int(blockIdx.x) - 1;
    device::publish_words<Words>([&](int i) { return word_of(block, i, j.by.epoch); }, j.by);
  } else {
    device::collect_words<Words>(j.by, blocks, [&](int i, std::int64_t x, int part) {
      if (part == 0)
        atomicAdd(reinterpret_cast<unsigned long long*>(j.sums + i),
                  static_cast<unsigned long long>(x));
    });
  }
}

template <int Words>
void expect_sums(int blocks, int threads, int launches, bool by_status_words_alone = false) {
  device_array<device::status_word> words(std::size_t(blocks) * device::status_words_of<Words>);
  words.fill_bytes(0);
  device_array<std::uint64_t> added(Words);
  added.fill_bytes(0);
  for (int epoch = 1; epoch <= launches; ++epoch) {
    device_array<std::uint64_t> sums(Words);
    sums.fill_bytes(0);
    auto* const adds = by_status_words_alone ? nullptr : added.data();
    launch(sum_words<Words>, unsigned(blocks) + 1,
           unsigned(threads))(job<Words>{{words.data(), adds, std::uint32_t(epoch)}, sums.data()});
    auto const got = sums.to_host();
    ASSERT_EQ(added.to_host(), std::vector<std::uint64_t>(Words)) << "for the next launch";
    for (int i = 0; i < Words; ++i) {
      std::uint64_t want = 0;
      for (int b = 0; b < blocks; ++b) want += word_of(b, i, unsigned(epoch));
      ASSERT_EQ(got[i], want) << "word " << i << " of " << blocks << " blocks, launch " << epoch;
    }
  }
}

TEST(words_of_blocks, are_added_up_in_any_number) {
  expect_sums<5>(1, 32, 2);
  expect_sums<5>(31, 64, 2);
  expect_sums<15>(32, 64, 2);
  expect_sums<33>(33, 64, 2);
  expect_sums<71>(100, 96, 3);
}

TEST(words_of_blocks, are_added_up_by_four_warps_where_there_are_the_warps) {
  expect_sums<5>(2, 128, 3);
  expect_sums<15>(32, 128, 3);
  expect_sums<15>(100, 512, 3);
  expect_sums<33>(9, 384, 3);
  expect_sums<71>(20, 384, 3);
}

TEST(words_of_blocks, are_added_up_where_there_is_no_room_for_sums) {
  expect_sums<15>(33, 64, 2, true);
  expect_sums<71>(20, 384, 2, true);
}

}  // namespace
