// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>

#include "simt/expect_finding.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

using tally::device_array;
using tally::launch;

namespace {

constexpr unsigned all = 0xffffffffu;

// Runs one warp, of `lanes` lanes; lane i gets in[i], and gives f(in[i], i).
template <class T, class R, class F>
__global__ void each_lane(T const* in, R* out, F f) {
  out[threadIdx.x] = f(in[threadIdx.x], int(threadIdx.x));
}
template <class R, class T, class F>
std::vector<R> over_warp(std::vector<T> const& in, F f) {
  device_array<T> from{std::span<T const>(in)};
  device_array<R> to(in.size());
  launch(each_lane<T, R, F>, 1, unsigned(in.size()))(from.data(), to.data(), f);
  return to.to_host();
}

template <class T>
std::vector<T> samples() {
  std::vector<T> v(32);
  for (int i = 0; i < 32; ++i) v[i] = T((i * 37 + 11) % 29) - T(5);
  return v;
}

template <class T>
class shuffle : public testing::Test {};
using shuffled_types = testing::Types<int, unsigned, long, unsigned long, long long,
                                      unsigned long long, float, double>;
TYPED_TEST_SUITE(shuffle, shuffled_types);

TYPED_TEST(shuffle, moves_values_as_defined_for_every_width_and_distance) {
  using T = TypeParam;
  auto const v = samples<T>();
  for (int width = 1; width <= 32; width *= 2) {
    for (int d = 0; d < 32; ++d) {
      auto const by_index =
          over_warp<T>(v, [=](T x, int) { return __shfl_sync(all, x, d, width); });
      auto const up = over_warp<T>(v, [=](T x, int) { return __shfl_up_sync(all, x, d, width); });
      auto const down =
          over_warp<T>(v, [=](T x, int) { return __shfl_down_sync(all, x, d, width); });
      for (int i = 0; i < 32; ++i) {
        int const first = i / width * width, inside = i - first;
        ASSERT_EQ(by_index[i], v[first + d % width]);
        ASSERT_EQ(up[i], inside >= d ? v[i - d] : v[i]);
        ASSERT_EQ(down[i], inside + d < width ? v[i + d] : v[i]);
      }
      if (d >= width) continue;
      auto const exchanged =
          over_warp<T>(v, [=](T x, int) { return __shfl_xor_sync(all, x, d, width); });
      for (int i = 0; i < 32; ++i) ASSERT_EQ(exchanged[i], v[i ^ d]);
    }
  }
}

TEST(shuffle_of_part, only_lanes_of_the_mask_take_part) {
  auto const got = over_warp<int>(samples<int>(), [](int x, int lane) {
    return lane % 2 ? __shfl_sync(0xaaaaaaaau, x, 5) : __shfl_sync(0x55555555u, x, 6);
  });
  for (int i = 0; i < 32; ++i) EXPECT_EQ(got[i], samples<int>()[i % 2 ? 5 : 6]);
}

TEST(vote, agrees_with_a_loop) {
  auto const v = samples<int>();
  unsigned expected = 0;
  for (int i = 0; i < 32; ++i) expected |= unsigned(v[i] > 3) << i;
  auto const ballots = over_warp<unsigned>(v, [](int x, int) { return __ballot_sync(all, x > 3); });
  EXPECT_TRUE(std::ranges::all_of(ballots, [=](unsigned b) { return b == expected; }));
  EXPECT_EQ(over_warp<int>(v, [](int x, int) { return __any_sync(all, x == 3); })[9], 1);
  EXPECT_EQ(over_warp<int>(v, [](int x, int) { return __any_sync(all, x == 99); })[9], 0);
  EXPECT_EQ(over_warp<int>(v, [](int x, int) { return __all_sync(all, x < 99); })[9], 1);
  EXPECT_EQ(over_warp<int>(v, [](int x, int) { return __all_sync(all, x < 3); })[9], 0);
}

TEST(activemask, names_the_lanes_of_a_branch) {
  auto const whole =
      over_warp<unsigned>(std::vector<int>(20), [](int, int) { return __activemask(); });
  EXPECT_TRUE(std::ranges::all_of(whole, [](unsigned m) { return m == 0xfffffu; }));
  auto const thirds = over_warp<unsigned>(std::vector<int>(32), [](int, int lane) {
    if (lane % 3) return 0u;
    unsigned const mask = __activemask();
    return unsigned(__reduce_add_sync(mask, 1u)) << 24 | (mask & 0xffffff);
  });
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(thirds[i], i % 3 ? 0 : 11u << 24 | (0x49249249 & 0xffffff));
}

TEST(match, agrees_with_a_loop) {
  std::vector<double> v(32);
  for (int i = 0; i < 32; ++i) v[i] = i * i % 7;
  auto const any = over_warp<unsigned>(v, [](double x, int) { return __match_any_sync(all, x); });
  for (int i = 0; i < 32; ++i) {
    unsigned expected = 0;
    for (int k = 0; k < 32; ++k) expected |= unsigned(v[k] == v[i]) << k;
    EXPECT_EQ(any[i], expected);
  }
  auto const match_all = [](double x, int) {
    int equal = 7;
    unsigned const mask = __match_all_sync(all, x, &equal);
    return (long long)mask << 1 | equal;
  };
  EXPECT_EQ(over_warp<long long>(v, match_all)[3], 0);
  EXPECT_EQ(over_warp<long long>(std::vector<double>(32, 2), match_all)[3], 0x1ffffffffll);
}

template <class T, class F, class G>
void expect_reduced(F on_device, G fold) {
  auto const v = samples<T>();
  T expected = v[0];
  for (int i = 1; i < 32; ++i) expected = fold(expected, v[i]);
  for (T x : over_warp<T>(v, on_device)) EXPECT_EQ(x, expected);
}
TEST(warp_reduction, agrees_with_a_loop) {
  auto const least = [](auto x, auto y) { return std::min(x, y); };
  auto const most = [](auto x, auto y) { return std::max(x, y); };
  expect_reduced<int>([](int x, int) { return __reduce_add_sync(all, x); }, std::plus());
  expect_reduced<int>([](int x, int) { return __reduce_min_sync(all, x); }, least);
  expect_reduced<int>([](int x, int) { return __reduce_max_sync(all, x); }, most);
  using u = unsigned;
  expect_reduced<u>([](u x, int) { return __reduce_add_sync(all, x); }, std::plus());
  expect_reduced<u>([](u x, int) { return __reduce_min_sync(all, x); }, least);
  expect_reduced<u>([](u x, int) { return __reduce_max_sync(all, x); }, most);
  expect_reduced<u>([](u x, int) { return __reduce_and_sync(all, x); }, std::bit_and());
  expect_reduced<u>([](u x, int) { return __reduce_or_sync(all, x); }, std::bit_or());
  expect_reduced<u>([](u x, int) { return __reduce_xor_sync(all, x); }, std::bit_xor());
}

constexpr int own_bit_line = __LINE__ + 2;
__global__ void leave_itself_out(int* out, unsigned mask) {
  out[threadIdx.x] = __shfl_sync(threadIdx.x == 4 ? mask : all, 1, 0);
}
TEST(shuffle_misuse, a_lane_outside_of_its_own_mask_is_found) {
  device_array<int> out(32);
  launch(leave_itself_out, 1, 32)(out.data(), all);
  launch(leave_itself_out, 1, 32)(out.data(), ~(1u << 4));
  expect_finding("shuffle", "leave_itself_out", own_bit_line, {4, 0, 0});
}

constexpr int exited_line = __LINE__ + 3;
__global__ void shuffle_after_exit(int* out, int lanes, int source) {
  if (int(threadIdx.x) >= lanes) return;
  out[threadIdx.x] = __shfl_sync(all, int(threadIdx.x), source);
}
TEST(shuffle_misuse, a_value_from_a_lane_that_exited_is_found) {
  device_array<int> out(32);
  launch(shuffle_after_exit, 1, 32)(out.data(), 20, 19);
  EXPECT_EQ(out.to_host()[7], 19);
  launch(shuffle_after_exit, 1, 32)(out.data(), 20, 20);
  auto const r = expect_finding("shuffle", "shuffle_after_exit", exited_line, {0, 0, 0});
  EXPECT_NE(r.text.find("lane 20 of its warp, which has exited"), r.text.npos) << r.text;
}
TEST(shuffle_misuse, a_value_from_a_lane_that_never_was_is_found) {
  device_array<int> out(32);
  launch(shuffle_after_exit, 1, 8)(out.data(), 8, 7);
  launch(shuffle_after_exit, 1, 8)(out.data(), 8, 8);
  expect_finding("shuffle", "shuffle_after_exit", exited_line, {0, 0, 0});
}

constexpr int outside_line = __LINE__ + 3;
__global__ void shuffle_in_half(int* out, int source) {
  if (threadIdx.x < 16) {
    out[threadIdx.x] = __shfl_sync(0xffffu, int(threadIdx.x), source);
  }
}
TEST(shuffle_misuse, a_value_from_outside_of_the_mask_is_found) {
  device_array<int> out(32);
  launch(shuffle_in_half, 1, 32)(out.data(), 15);
  launch(shuffle_in_half, 1, 32)(out.data(), 16);
  expect_finding("shuffle", "shuffle_in_half", outside_line, {0, 0, 0});
}

constexpr int branch_line = __LINE__ + 4;
__global__ void shuffle_in_a_branch(int* out, unsigned mask) {
  int x = 0;
  if (threadIdx.x < 8) {
    x = __shfl_xor_sync(mask, 1, 1);
  }
  __syncthreads();
  out[threadIdx.x] = x;
}
TEST(shuffle_misuse, a_mask_that_names_lanes_of_another_branch_is_found) {
  device_array<int> out(32);
  launch(shuffle_in_a_branch, 1, 32)(out.data(), 0xff);
  launch(shuffle_in_a_branch, 1, 32)(out.data(), all);
  auto const r = expect_finding("shuffle", "shuffle_in_a_branch", branch_line, {0, 0, 0});
  EXPECT_NE(r.text.find("lane (8,0,0), which is in __syncthreads"), r.text.npos) << r.text;
}

constexpr int two_kinds_line = __LINE__ + 5;
__global__ void shuffle_and_vote(int* out, bool meet) {
  int x = 0;
  if (meet) x = __any_sync(all, 1);
  if (threadIdx.x < 8) {
    x = __shfl_sync(meet ? 0xffu : all, 1, 0);
  } else {
    x = __any_sync(meet ? ~0xffu : all, 1);
  }
  out[threadIdx.x] = x;
}
TEST(shuffle_misuse, different_functions_do_not_meet) {
  device_array<int> out(32);
  launch(shuffle_and_vote, 1, 32)(out.data(), true);
  launch(shuffle_and_vote, 1, 32)(out.data(), false);
  auto const r = expect_finding("shuffle", "shuffle_and_vote", two_kinds_line, {0, 0, 0});
  EXPECT_NE(r.text.find("__any_sync"), r.text.npos) << r.text;
}

constexpr int width_line = __LINE__ + 2;
__global__ void shuffle_by_width(int* out, int width) {
  out[threadIdx.x] = __shfl_sync(all, 1, 0, width);
}
TEST(shuffle_misuse, a_width_that_is_no_power_of_two_is_found) {
  device_array<int> out(32);
  launch(shuffle_by_width, 1, 32)(out.data(), 8);
  launch(shuffle_by_width, 1, 32)(out.data(), 24);
  expect_finding("shuffle", "shuffle_by_width", width_line);
}

// Barriers.

__global__ void reduce_by_barrier(int* out, int limit) {
  int const yes = int(threadIdx.x) < limit;
  int const lane = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  out[3 * lane] = __syncthreads_count(yes);
  out[3 * lane + 1] = __syncthreads_and(yes);
  out[3 * lane + 2] = __syncthreads_or(yes);
}
TEST(block_barrier, counts_and_votes) {
  for (int limit : {0, 1, 77, 100}) {
    device_array<int> out(300);
    launch(reduce_by_barrier, 1, dim3(5, 4, 5))(out.data(), 2);
    EXPECT_EQ(out.to_host()[0], 40);
    launch(reduce_by_barrier, 1, 100)(out.data(), limit);
    auto const got = out.to_host();
    for (int i = 0; i < 100; ++i) {
      ASSERT_EQ(got[3 * i], limit);
      ASSERT_EQ(got[3 * i + 1], limit == 100);
      ASSERT_EQ(got[3 * i + 2], limit > 0);
    }
  }
}

constexpr int early_exit_line = __LINE__ + 3;
__global__ void exit_early(int lane) {
  if (int(threadIdx.x) == lane) return;
  __syncthreads();
}
TEST(block_barrier, an_exit_before_it_is_found) {
  launch(exit_early, 1, 64)(-1);
  launch(exit_early, 1, 64)(37);
  expect_finding("exit before a barrier", "exit_early", early_exit_line, {37, 0, 0});
}

constexpr int two_barriers_line = __LINE__ + 3;
__global__ void part_at_barriers(unsigned lane) {
  if (threadIdx.x == lane) {
    __syncthreads();
  } else {
    __syncthreads();
  }
}
TEST(block_barrier, lanes_at_different_barriers_are_found) {
  launch(part_at_barriers, 1, 64)(64);
  launch(part_at_barriers, 1, 64)(37);
  auto const r =
      expect_finding("barrier divergence", "part_at_barriers", two_barriers_line, {37, 0, 0});
  EXPECT_NE(r.text.find(":" + std::to_string(two_barriers_line + 2)), r.text.npos) << r.text;
}

constexpr int warp_barrier_line = __LINE__ + 3;
__global__ void exit_before_warp_barrier(int lane, unsigned mask) {
  if (int(threadIdx.x) == lane) return;
  __syncwarp(mask);
}
TEST(warp_barrier, an_exit_before_it_is_found) {
  launch(exit_before_warp_barrier, 1, 32)(-1, all);
  launch(exit_before_warp_barrier, 1, 32)(9, ~(1u << 9));
  launch(exit_before_warp_barrier, 1, 32)(9, all);
  expect_finding("exit before a barrier", "exit_before_warp_barrier", warp_barrier_line, {9, 0, 0});
  launch(exit_before_warp_barrier, 1, 32)(-1, all - 1);
  expect_finding("barrier divergence", "exit_before_warp_barrier", warp_barrier_line, {0, 0, 0});
}

__global__ void where_am_i(int* out) {
  int const block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  int const lane = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  int const lanes = blockDim.x * blockDim.y * blockDim.z;
  atomicAdd(out + block * lanes + lane, 1);
}
TEST(indices, have_three_dimensions) {
  int const n = 2 * 3 * 4 * 5 * 6 * 7;
  device_array<int> out(n);
  out.fill_bytes(0);
  launch(where_am_i, dim3(2, 3, 4), dim3(5, 6, 7))(out.data());
  EXPECT_TRUE(std::ranges::all_of(out.to_host(), [](int k) { return k == 1; }));
}

template <class T>
__global__ void all_atomics(T* p) {
  T const i = T(threadIdx.x);
  atomicAdd(p, i);
  atomicMin(p + 1, i);
  atomicMax(p + 2, i);
  atomicAnd(p + 3, ~(T(1) << i));
  atomicOr(p + 4, T(1) << i);
  atomicXor(p + 5, T(1) << i);
  atomicExch(p + 6, i);
  for (T seen = 0, old; (old = atomicCAS(p + 7, seen, seen + i)) != seen;) seen = old;
}
template <class T>
void expect_atomics() {
  std::vector<T> v{100, 100, 0, T(~T(0)), 0, 0, 99, 0};
  device_array<T> words{std::span<T const>(v)};
  launch(all_atomics<T>, 1, 31)(words.data());
  auto const got = words.to_host();
  T const low = T(0x7fffffff);
  EXPECT_EQ(got[0], 100 + 465);
  EXPECT_EQ(got[1], 0);
  EXPECT_EQ(got[2], 30);
  EXPECT_EQ(got[3], T(~low));
  EXPECT_EQ(got[4], low);
  EXPECT_EQ(got[5], low);
  EXPECT_LT(got[6], 31);
  EXPECT_EQ(got[7], 465);
}
TEST(atomics, agree_with_a_loop) {
  expect_atomics<int>();
  expect_atomics<unsigned>();
  expect_atomics<unsigned long long>();
}

}  // namespace
