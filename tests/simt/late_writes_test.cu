// SPDX-License-Identifier: Apache-2.0
#include "simt/expect_finding.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

using tally::device_array;
using tally::launch;

// What other blocks may see late, and what not.
namespace {

constexpr int relaxed = __NV_ATOMIC_RELAXED, device = __NV_THREAD_SCOPE_DEVICE;

__device__ int load(int* p, int order = relaxed) { return __nv_atomic_load_n(p, order, device); }
__device__ void store(int* p, int x, int order = relaxed) {
  __nv_atomic_store_n(p, x, order, device);
}

// At how many of some seeds the kernel leaves something in its last word.
template <class Kernel, class... More>
int times(dim3 block, std::uint64_t first, std::uint64_t last, Kernel kernel, More... more) {
  int found = 0;
  device_array<int> words(8);
  for (simt::machine().seed = first; simt::machine().seed <= last; ++simt::machine().seed) {
    words.fill_bytes(0);
    launch(kernel, 2, block)(words.data(), words.data() + 7, more...);
    EXPECT_TRUE(simt::take_reports().empty());
    found += words.to_host()[7] != 0;
  }
  simt::machine() = {};
  return found;
}

enum how { bare, fenced, ordered };

// A sum, and in another word that it is there; the sum is looked at by an update, which finds
// nothing old.
__global__ void sum_and_flag(int* word, int* wrong, how way) {
  if (blockIdx.x == 0) {
    atomicAdd(word, 1);
    if (way == fenced) __threadfence();
    store(word + 1, 1, way == ordered ? __NV_ATOMIC_RELEASE : relaxed);
  } else {
    while (!load(word + 1, way == ordered ? __NV_ATOMIC_ACQUIRE : relaxed)) continue;
    if (way == fenced) __threadfence();
    if (atomicAdd(word, 0) != 1) *wrong = 1;
  }
}
TEST(late_writes, reductions_come_after_what_follows_them_unless_a_fence_orders_them) {
  EXPECT_GT(times(1, 1, 40, sum_and_flag, bare), 5);
  EXPECT_EQ(times(1, 1, 40, sum_and_flag, fenced), 0);
  EXPECT_EQ(times(1, 1, 40, sum_and_flag, ordered), 0);
}
TEST(late_writes, do_not_come_at_seed_0) { EXPECT_EQ(times(1, 0, 0, sum_and_flag, bare), 0); }

// Four stores, which a lane of another block waits for, last one first.
__global__ void four_stores(int* word, int* wrong, how way) {
  if (blockIdx.x == 0) {
    for (int i = 0; i < 4; ++i) {
      store(word + i, i + 1);
      if (way == fenced) __threadfence();
    }
  } else {
    for (int i = 3; i >= 0; --i) {
      int const x = atomicAdd(word + i, 0);
      if (way == fenced) __threadfence();
      if (x == 0) continue;
      for (int k = 0; k < i; ++k)
        if (atomicAdd(word + k, 0) != k + 1) *wrong = 1;
    }
  }
}
TEST(late_writes, of_one_lane_come_in_any_order_unless_fences_order_them) {
  EXPECT_GT(times(1, 1, 60, four_stores, bare), 3);
  EXPECT_EQ(times(1, 1, 60, four_stores, fenced), 0);
}

// The result of an update that somebody uses is there at once.
__global__ void ticket_and_flag(int* word, int* wrong) {
  if (blockIdx.x == 0) {
    int const drawn = atomicAdd(word, 1);
    store(word + 1, drawn + 1);
  } else {
    while (!load(word + 1)) continue;
    if (atomicAdd(word, 0) != 1) *wrong = 1;
  }
}
TEST(late_writes, are_no_updates_whose_result_is_used) {
  EXPECT_EQ(times(1, 1, 40, ticket_and_flag), 0);
}

// In its own block, a write is seen as before; one word's writes stay in order.
__global__ void own_block(int* word, int* wrong) {
  if (blockIdx.x == 1) return;
  if (threadIdx.x == 0) {
    store(word, 1), atomicAdd(word, 1), store(word + 1, 5);
    if (load(word) != 2) *wrong = 1;
  }
  __syncthreads();
  if (load(word) != 2 || load(word + 1) != 5) atomicExch(wrong, 1);
  __syncthreads();
  if (threadIdx.x == 40 && word[1] != 5) *wrong = 1;
}
TEST(late_writes, are_not_late_in_their_own_block) { EXPECT_EQ(times(64, 1, 20, own_block), 0); }

// A fence of a lane that a barrier orders after the write makes it seen, too.
__global__ void fence_by_another(int* word, int* wrong, bool barrier) {
  if (blockIdx.x == 0) {
    if (threadIdx.x == 9) store(word, 1);
    if (barrier) __syncthreads();
    if (threadIdx.x == 0) {
      while (!barrier && !load(word)) continue;
      __threadfence();
      store(word + 1, 1);
    }
  } else if (threadIdx.x == 0) {
    while (!load(word + 1)) continue;
    __threadfence();
    if (atomicAdd(word, 0) != 1) *wrong = 1;
  }
}
TEST(late_writes, are_seen_after_the_fence_of_a_lane_that_knows_of_them) {
  EXPECT_EQ(times(64, 1, 30, fence_by_another, true), 0);
}

// The end of a launch is a fence.
__global__ void write_only(int* word, int* all) {
  for (int i = 0; i < 6; ++i) atomicAdd(word + i, 1);
  atomicAdd(all, 1);
}
TEST(late_writes, are_there_when_the_launch_has_ended) {
  device_array<int> words(8);
  words.fill_bytes(0);
  launch(write_only, 40, 32)(words.data(), words.data() + 6);
  for (int i = 0; i < 7; ++i) EXPECT_EQ(words.to_host()[i], 1280);
}

// Nobody waits for ever for one.
__global__ void wait_for_each_other(int* word, int* out) {
  store(word + blockIdx.x, 1);
  while (!load(word + 1 - blockIdx.x)) continue;
  if (blockIdx.x == 0) *out = 1;
}
TEST(late_writes, come_at_last) { EXPECT_EQ(times(1, 1, 20, wait_for_each_other), 20); }

}  // namespace
