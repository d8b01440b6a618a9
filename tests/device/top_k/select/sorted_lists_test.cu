// SPDX-License-Identifier: Apache-2.0
#include "tally/device/top_k/select/sorted_lists.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

namespace {

using namespace tally;
using namespace tally::device;

// Each lane's words in falling order, and the K-th of those of all lanes of its group.
template <int K, int Lanes, int Size, class Word>
__global__ void sort_lists(Word const* in, Word* sorted, Word* kth) {
  Word x[K > Size ? K : Size];
  for (int i = 0; i < Size; ++i) x[i] = in[threadIdx.x * Size + unsigned(i)];
  sort_falling<Size>(x);
  for (int i = 0; i < Size; ++i) sorted[threadIdx.x * Size + unsigned(i)] = x[i];
  kth[threadIdx.x] = kth_of_lists<K, Lanes, Size>(x);
}

template <int K, int Lanes, int Size, class Word>
void expect_sorted(unsigned kinds) {
  std::mt19937_64 random(kinds + unsigned(Size));
  std::vector<Word> in(32 * Size);
  for (auto& x : in) x = Word(random()) % kinds;
  device_array<Word> const words{std::span<Word const>(in)};
  device_array<Word> sorted(in.size()), kth(32);
  launch(sort_lists<K, Lanes, Size, Word>, 1, 32)(words.data(), sorted.data(), kth.data());
  check(cudaDeviceSynchronize());
  auto const lists = sorted.to_host(), found = kth.to_host();
  for (std::size_t lane = 0; lane < 32; ++lane) {
    std::vector<Word> own(in.begin() + std::ptrdiff_t(lane * Size),
                          in.begin() + std::ptrdiff_t((lane + 1) * Size));
    std::ranges::sort(own, std::greater<>());
    for (std::size_t i = 0; i < Size; ++i) ASSERT_EQ(lists[lane * Size + i], own[i]);
    std::size_t const group = lane / Lanes * Lanes;
    std::vector<Word> all(in.begin() + std::ptrdiff_t(group * Size),
                          in.begin() + std::ptrdiff_t((group + Lanes) * Size));
    std::ranges::sort(all, std::greater<>());
    ASSERT_EQ(found[lane], all[K - 1]) << K << " of " << Lanes << " lanes of " << Size;
  }
}

TEST(sorted_lists, tell_the_kth_of_all) {
  for (unsigned kinds : {1u, 3u, 100u, 4'000'000'000u}) {
    expect_sorted<8, 8, 4, std::uint32_t>(kinds);
    expect_sorted<16, 8, 8, std::uint32_t>(kinds);
    expect_sorted<32, 8, 16, std::uint32_t>(kinds);
    expect_sorted<8, 16, 2, std::uint32_t>(kinds);
    expect_sorted<32, 16, 4, std::uint32_t>(kinds);
    expect_sorted<8, 32, 1, std::uint32_t>(kinds);
    expect_sorted<32, 32, 2, std::uint32_t>(kinds);
    expect_sorted<8, 8, 8, std::uint64_t>(kinds);
    expect_sorted<16, 16, 2, std::uint64_t>(kinds);
  }
}

}  // namespace
