// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "simt/expect_finding.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

using tally::device_array;
using tally::launch;

// Who runs when, and loops whose end another lane would have to bring, with and without it.
namespace {

__global__ void first_come(unsigned* order, unsigned* next) {
  order[atomicAdd(next, 1)] = blockIdx.x * blockDim.x + threadIdx.x;
}
std::vector<unsigned> come(std::uint64_t seed) {
  device_array<unsigned> order(256), next(1);
  next.fill_bytes(0);
  simt::machine().seed = seed;
  launch(first_come, 8, 32)(order.data(), next.data());
  simt::machine() = {};
  return order.to_host();
}
TEST(seed, repeats_an_interleaving_and_another_one_changes_it) {
  EXPECT_EQ(come(7), come(7));
  EXPECT_NE(come(7), come(8));
}

constexpr int sleep_line = __LINE__ + 3;
__global__ void sleep_until_set(int* flag) {
  if (threadIdx.x == 0)
    while (!__nv_atomic_load_n(flag, __NV_ATOMIC_RELAXED)) __nanosleep(20);
  if (threadIdx.x == 1) atomicExch(flag, *(flag + 1));
}
constexpr int barrier_line = __LINE__ + 2;
__global__ void meet_until_all(int* in) {
  while (!__syncthreads_and(in[threadIdx.x])) continue;
}
constexpr int walk_line = __LINE__ + 3;
__global__ void walk(int const* next, int* out) {
  int i = 0;
  while (next[i]) i = next[i];
  *out = i;
}
constexpr int spin_line = __LINE__ + 3;
__global__ void spin_on_what_no_lane_reads_again(int* flag, int* out) {
  if (threadIdx.x == 1) *flag = 1;
  while (*flag == 0) continue;
  *out = 1;
}

// One warp waits for another one, which shuffles all the while and has nothing to show for it.
__global__ void wait_for_a_busy_warp(int* flag, int* out) {
  int x = 1;
  if (threadIdx.x < 32) {
    while (threadIdx.x == 0 && !__nv_atomic_load_n(flag, __NV_ATOMIC_ACQUIRE)) continue;
  } else {
    for (int i = 0; i < 50'000; ++i) x = __shfl_xor_sync(~0u, x + i, i & 31);
    if (threadIdx.x == 32) __nv_atomic_store_n(flag, 1, __NV_ATOMIC_RELEASE);
  }
  out[threadIdx.x] = x;
}
TEST(not_endless, is_a_wait_for_a_busy_warp) {
  device_array<int> words(65);
  words.fill_bytes(0);
  launch(wait_for_a_busy_warp, 1, 64)(words.data(), words.data() + 1);
}

TEST(endless, sleep_is_found) {
  device_array<int> flag(2);
  int const set[2] = {0, 1};
  cudaMemcpy(flag.data(), set, 8, cudaMemcpyHostToDevice);
  launch(sleep_until_set, 1, 2)(flag.data());
  flag.fill_bytes(0);
  launch(sleep_until_set, 1, 2)(flag.data());
  expect_finding("hang", "sleep_until_set", sleep_line);
}
TEST(endless, barriers_without_an_end_are_found) {
  device_array<int> in(64);
  in.fill_bytes(1);
  launch(meet_until_all, 1, 64)(in.data());
  in.fill_bytes(0);
  launch(meet_until_all, 1, 64)(in.data());
  expect_finding("hang", "meet_until_all", barrier_line);
}
TEST(endless, a_circle_in_memory_is_found) {
  simt::machine().seconds_a_turn = 1;
  device_array<int> next(3), out(1);
  int const line[3] = {1, 2, 0}, circle[3] = {1, 2, 1};
  cudaMemcpy(next.data(), line, 12, cudaMemcpyHostToDevice);
  launch(walk, 1, 1)(next.data(), out.data());
  cudaMemcpy(next.data(), circle, 12, cudaMemcpyHostToDevice);
  launch(walk, 1, 1)(next.data(), out.data());
  expect_finding("hang", "walk", walk_line);
  simt::machine() = {};
}
TEST(endless, a_flag_that_stays_in_a_register_is_found) {
  simt::machine().seconds_a_turn = 1;
  device_array<int> words(2);
  words.fill_bytes(1);
  launch(spin_on_what_no_lane_reads_again, 1, 1)(words.data(), words.data() + 1);
  words.fill_bytes(0);
  launch(spin_on_what_no_lane_reads_again, 1, 1)(words.data(), words.data() + 1);
  expect_finding("hang", "spin_on_what_no_lane_reads_again", spin_line);
  simt::machine() = {};
}

// Waits for the block that comes after it.
constexpr int forward_line = __LINE__ + 3;
__global__ void wait_for_next(int* flags, int distance) {
  int const next = blockIdx.x + distance;
  while (next < int(gridDim.x) && !__nv_atomic_load_n(flags + next, __NV_ATOMIC_ACQUIRE)) continue;
  __nv_atomic_store_n(flags + blockIdx.x, 1, __NV_ATOMIC_RELEASE);
}
TEST(hang, waiting_for_a_block_that_is_not_resident_is_found) {
  device_array<int> flags(64);
  flags.fill_bytes(0);
  simt::machine() = {.resident_blocks = 4, .order = simt::block_order::ascending};
  launch(wait_for_next, 4, 1)(flags.data(), 1);
  EXPECT_TRUE(simt::take_reports().empty());
  flags.fill_bytes(0);
  launch(wait_for_next, 5, 1)(flags.data(), 1);
  expect_finding("hang", "wait_for_next", forward_line, {});
  flags.fill_bytes(0);
  simt::machine().order = simt::block_order::descending;
  launch(wait_for_next, 64, 1)(flags.data(), 1);
  simt::machine() = {};
}

constexpr int lock_line = __LINE__ + 2;
__global__ void take_lock(int* lock) {
  while (atomicCAS(lock, 0, 1)) continue;
}
TEST(hang, a_lock_that_nobody_gives_back_is_found) {
  device_array<int> lock(1);
  lock.fill_bytes(0);
  launch(take_lock, 1, 64)(lock.data());
  expect_finding("hang", "take_lock", lock_line);
}

constexpr int trap_line = __LINE__ + 2;
__global__ void trap_in_lane_3() {
  if (threadIdx.x == 3) __trap();
}
TEST(trap, is_found) {
  launch(trap_in_lane_3, 1, 32)();
  expect_finding("trap", "trap_in_lane_3", trap_line, {3, 0, 0});
}

}  // namespace
