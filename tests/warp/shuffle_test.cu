// SPDX-License-Identifier: Apache-2.0
#include "tally/warp/shuffle.cuh"

#include "support/device_cases.cuh"

namespace {

using namespace support;
namespace warp = tally::warp;
using tally::thread_index;

template <class T>
struct warp_shuffle : ::testing::Test {};
TYPED_TEST_SUITE(warp_shuffle, all_cases);

enum class move { broadcast, shift_up, shift_down, exchange };

template <int Width, move Move, class T>
__global__ void shuffle(T const* in, T* out, int by) {
  int const i = thread_index();
  if (Move == move::broadcast) out[i] = warp::broadcast<Width>(in[i], by);
  if (Move == move::shift_up) out[i] = warp::shift_up<Width>(in[i], by);
  if (Move == move::shift_down) out[i] = warp::shift_down<Width>(in[i], by);
  if (Move == move::exchange) out[i] = warp::exchange<Width>(in[i], by);
}

TYPED_TEST(warp_shuffle, moves_within_groups_and_what_has_no_source_keeps_its_own) {
  auto const in = values<TypeParam>(64);
  for_each_width([&](auto width) {
    for (int by = 0; by < width; ++by) {
      auto const same = run(shuffle<width, move::broadcast>, 64, in, by);
      auto const up = run(shuffle<width, move::shift_up>, 64, in, by);
      auto const down = run(shuffle<width, move::shift_down>, 64, in, by);
      auto const flipped = run(shuffle<width, move::exchange>, 64, in, by);
      for (int i = 0; i < 64; ++i) {
        int const lane = i % width, first = i - lane;
        EXPECT_EQ(bits(same[i]), bits(in[first + by]));
        EXPECT_EQ(bits(up[i]), bits(in[lane < by ? i : i - by]));
        EXPECT_EQ(bits(down[i]), bits(in[lane + by < width ? i + by : i]));
        EXPECT_EQ(bits(flipped[i]), bits(in[first + (lane ^ by)]));
      }
    }
  });
}

__global__ void reverse(digits const* in, digits* out) {
  out[thread_index()] = warp::broadcast(in[thread_index()], 31 - warp::lane());
}

TEST(warp_broadcast, takes_another_source_in_each_lane) {
  auto const in = values<digits>(32);
  EXPECT_EQ(run(reverse, 32, in), (std::vector<digits>(in.rbegin(), in.rend())));
}

template <int Width>
__global__ void move_in_every_other_group(int const* in, int* out) {
  int const i = thread_index();
  if (i / Width % 2 == 1)
    out[i] = warp::broadcast<Width>(in[i]) + warp::shift_up<Width>(in[i]) +
             warp::shift_down<Width>(in[i]) + warp::exchange<Width>(in[i], 0);
  __syncthreads();  // the other lanes are still there
}

TEST(warp_groups, need_no_others) {
  std::vector<int> const in(64, 1);
  for_each_width([&](auto width) {
    auto const out = run(move_in_every_other_group<width>, 64, in);
    for (int i = 0; i < 64; ++i) EXPECT_TRUE(i / width % 2 == 0 || out[i] == 4) << i;
  });
}

__global__ void lanes(int const*, int* out) {
  out[thread_index()] = 100 * warp::live_lanes<8>() + warp::lane<8>();
}

TEST(warp_lanes, are_fewer_at_the_end_of_a_block) {
  auto const out = run(lanes, {9, 1, 3}, std::vector<int>(27));
  for (int i = 0; i < 27; ++i) EXPECT_EQ(out[i], (i < 24 ? 800 : 300) + i % 8);
}

}  // namespace
