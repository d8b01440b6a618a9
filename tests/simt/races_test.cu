// SPDX-License-Identifier: Apache-2.0
#include "simt/expect_finding.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

using tally::device_array;
using tally::launch;

// In each kernel the parameter turns the correct code into the faulty one, or the other way round.
namespace {

// Which of the two accesses comes second, and is reported, depends on the interleaving.
simt::report expect_race(std::string const& kernel, int first_line, int second_line) {
  auto const found = simt::take_reports();
  EXPECT_EQ(found.size(), 1u);
  if (found.size() != 1) return {};
  simt::report const& r = found[0];
  EXPECT_EQ(r.kind, "race") << r.text;
  EXPECT_EQ(r.kernel, kernel);
  int const other = r.line == first_line ? second_line : first_line;
  EXPECT_TRUE(r.line == first_line || r.line == second_line) << r.line << r.text;
  std::string const with = "races_test.cu:" + std::to_string(other);
  EXPECT_NE(r.text.find(with), r.text.npos) << r.text;
  return r;
}

template <class F>
void for_seeds(F f) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    simt::machine().seed = seed;
    f();
  }
  simt::machine() = {};
}

constexpr int exchange_line = __LINE__ + 3;
__global__ void exchange(int* out, bool synchronise) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  if (synchronise) __syncthreads();
  out[threadIdx.x] = s[threadIdx.x ^ 1];
}
TEST(race, a_missing_block_barrier_is_found_at_every_seed) {
  device_array<int> out(64);
  for_seeds([&] {
    launch(exchange, 1, 64)(out.data(), true);
    EXPECT_TRUE(simt::take_reports().empty());
    launch(exchange, 1, 64)(out.data(), false);
    auto const r = expect_race("exchange", exchange_line, exchange_line + 2);
    unsigned const other = r.lane.x ^ 1;
    EXPECT_NE(r.text.find("lane (" + std::to_string(other) + ",0,0)"), r.text.npos) << r.text;
  });
}

constexpr int reuse_line = __LINE__ + 6;
__global__ void reuse(int* out, bool synchronise) {
  __shared__ int s[64];
  for (int i = 0; i < 3; ++i) {
    s[threadIdx.x] = i;
    __syncthreads();
    out[threadIdx.x] = s[63 - threadIdx.x];
    if (synchronise) __syncthreads();
  }
}
TEST(race, a_write_must_wait_for_the_reads_before_it) {
  device_array<int> out(64);
  for_seeds([&] {
    launch(reuse, 1, 64)(out.data(), true);
    EXPECT_TRUE(simt::take_reports().empty());
    launch(reuse, 1, 64)(out.data(), false);
    expect_race("reuse", reuse_line - 2, reuse_line);
  });
}

constexpr int many_line = __LINE__ + 6;
__global__ void many_readers(int* out, bool synchronise) {
  __shared__ int s;
  if (threadIdx.x == 0) s = 1;
  __syncthreads();
  int x = 0;
  x += s;
  if (synchronise) __syncthreads();
  if (threadIdx.x == 100) s = 2;
  out[threadIdx.x] = x;
}
TEST(race, a_write_is_held_against_every_one_of_many_readers) {
  device_array<int> out(256);
  for_seeds([&] {
    launch(many_readers, 1, 256)(out.data(), true);
    EXPECT_TRUE(simt::take_reports().empty());
    launch(many_readers, 1, 256)(out.data(), false);
    expect_race("many_readers", many_line, many_line + 2);
  });
}

constexpr int warp_line = __LINE__ + 4;
template <class Shared>
__global__ void warp_tree(Shared* out, bool synchronise) {
  __shared__ Shared s[32];
  s[threadIdx.x] = threadIdx.x;
  if (synchronise) __syncwarp();
  out[threadIdx.x] = s[threadIdx.x ^ 5];
}
TEST(race, a_warp_is_ordered_by_syncwarp_and_not_by_its_width) {
  device_array<int> out(32);
  for_seeds([&] {
    launch(warp_tree<int>, 1, 32)(out.data(), true);
    EXPECT_TRUE(simt::take_reports().empty());
    launch(warp_tree<int>, 1, 32)(out.data(), false);
    expect_race("warp_tree<int>", warp_line, warp_line + 2);
  });
}
TEST(race, volatile_shared_memory_is_not_ordered_either) {
  device_array<int> out(32);
  for_seeds([&] {
    launch(warp_tree<int volatile>, 1, 32)(out.data(), true);
    EXPECT_TRUE(simt::take_reports().empty());
    launch(warp_tree<int volatile>, 1, 32)(out.data(), false);
    expect_race("warp_tree<int volatile>", warp_line, warp_line + 2);
  });
}

constexpr int half_line = __LINE__ + 3;
__global__ void exchange_in_half_warps(int* out, unsigned distance) {
  __shared__ int s[32];
  s[threadIdx.x] = 1;
  __syncwarp(threadIdx.x < 16 ? 0x0000ffffu : 0xffff0000u);
  out[threadIdx.x] = s[threadIdx.x ^ distance];
}
TEST(race, syncwarp_orders_only_the_lanes_of_its_mask) {
  device_array<int> out(32);
  launch(exchange_in_half_warps, 1, 32)(out.data(), 8);
  EXPECT_TRUE(simt::take_reports().empty());
  launch(exchange_in_half_warps, 1, 32)(out.data(), 16);
  expect_race("exchange_in_half_warps", half_line, half_line + 2);
}

constexpr int shuffle_line = __LINE__ + 3;
__global__ void shuffle_between(int* out) {
  __shared__ int s[32];
  s[threadIdx.x] = 1;
  int x = __shfl_xor_sync(~0u, 1, 1) + __any_sync(~0u, 1);
  out[threadIdx.x] = x + s[threadIdx.x ^ 1];
}
TEST(race, a_shuffle_and_a_vote_order_no_memory) {
  device_array<int> out(32);
  launch(shuffle_between, 1, 32)(out.data());
  expect_race("shuffle_between", shuffle_line, shuffle_line + 2);
}

constexpr int same_value_line = __LINE__ + 3;
__global__ void set_flag(bool* flag, bool one_lane) {
  if (one_lane && threadIdx.x != 3) return;
  *flag = true;
}
TEST(race, two_writes_of_one_value_race) {
  device_array<bool> flag(1);
  launch(set_flag, 1, 32)(flag.data(), true);
  EXPECT_TRUE(simt::take_reports().empty());
  launch(set_flag, 1, 32)(flag.data(), false);
  expect_race("set_flag", same_value_line, same_value_line);
}

__global__ void write_bytes(unsigned char* out) { out[threadIdx.x] = threadIdx.x; }
TEST(race, neighbouring_bytes_do_not_race) {
  device_array<unsigned char> out(64);
  launch(write_bytes, 1, 64)(out.data());
  EXPECT_EQ(out.to_host()[63], 63);
}
constexpr int byte_line = __LINE__ + 3;
__global__ void write_word_over_bytes(unsigned char* out) {
  if (threadIdx.x) {
    out[threadIdx.x] = 1;
  } else {
    *reinterpret_cast<int*>(out) = 0;
  }
}
TEST(race, a_word_races_with_its_bytes) {
  device_array<unsigned char> out(64);
  for_seeds([&] {
    launch(write_word_over_bytes, 1, 4)(out.data());
    expect_race("write_word_over_bytes", byte_line, byte_line + 2);
  });
}

constexpr int mixed_line = __LINE__ + 3;
__global__ void count_mixed(int* count, bool atomic) {
  if (threadIdx.x < 16)
    atomicAdd(count, 1);
  else if (atomic)
    atomicAdd(count, 1);
  else
    *count += 1;
}
TEST(race, atomics_do_not_race_with_atomics_but_with_others) {
  device_array<int> count(1);
  count.fill_bytes(0);
  launch(count_mixed, 2, 32)(count.data(), true);
  EXPECT_EQ(count.to_host()[0], 64);
  launch(count_mixed, 1, 17)(count.data(), false);
  expect_race("count_mixed", mixed_line, mixed_line + 4);
}

// Every atomic counts, not only the last: lane 31 is ordered after lane 0's only.
constexpr int all_atomics_line = __LINE__ + 5;
__global__ void read_after_atomics(int* count, int* flag, int* out) {
  bool const is_second = threadIdx.x == 0;
  if (threadIdx.x < 2) {
    while (is_second && __nv_atomic_load_n(count, __NV_ATOMIC_RELAXED) == 0) continue;
    atomicAdd(count, 1);
    if (is_second) __nv_atomic_store_n(flag, 1, __NV_ATOMIC_RELEASE);
  }
  while (threadIdx.x == 31 && !__nv_atomic_load_n(flag, __NV_ATOMIC_ACQUIRE)) continue;
  if (threadIdx.x == 31) *out = *count;
}
TEST(race, an_atomic_that_another_one_hides_is_remembered) {
  device_array<int> words(3);
  words.fill_bytes(0);
  launch(read_after_atomics, 1, 32)(words.data(), words.data() + 1, words.data() + 2);
  expect_race("read_after_atomics", all_atomics_line, all_atomics_line + 4);
}

TEST(race, launches_are_ordered) {
  device_array<int> out(64);
  for (int i = 0; i < 3; ++i) launch(exchange, 1, 64)(out.data(), true);
}

}  // namespace
