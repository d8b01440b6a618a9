// SPDX-License-Identifier: Apache-2.0
#include "simt/expect_finding.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

using tally::device_array;
using tally::launch;

// What a GPU may show in another order than it was written, and what it may not.
namespace {

constexpr int relaxed = __NV_ATOMIC_RELAXED, device = __NV_THREAD_SCOPE_DEVICE;

__device__ int load(int* p, int order = relaxed) { return __nv_atomic_load_n(p, order, device); }
__device__ void store(int* p, int x, int order = relaxed) {
  __nv_atomic_store_n(p, x, order, device);
}

// How often in 60 runs, at different seeds, the kernel leaves something in its last word.
template <class Kernel, class... More>
int times(Kernel kernel, More... more) {
  int found = 0;
  device_array<int> words(4);
  for (simt::machine().seed = 1; simt::machine().seed <= 60; ++simt::machine().seed) {
    words.fill_bytes(0);
    launch(kernel, 2, 1)(words.data(), words.data() + 3, more...);
    found += words.to_host()[3] != 0;
  }
  simt::machine() = {};
  return found;
}

enum how { bare, fenced, ordered };

// A value in one word, and in another one that it is there.
__global__ void two_words(int* word, int* wrong, how way) {
  if (blockIdx.x == 0) {
    store(word, 1);
    if (way == fenced) __threadfence();
    store(word + 1, 1, way == ordered ? __NV_ATOMIC_RELEASE : relaxed);
  } else {
    while (!load(word + 1, way == ordered ? __NV_ATOMIC_ACQUIRE : relaxed)) continue;
    if (way == fenced) __nv_atomic_thread_fence(__NV_ATOMIC_ACQ_REL, device);
    if (load(word) == 0) *wrong = 1;
  }
}
TEST(old_values, two_relaxed_words_may_come_in_any_order) { EXPECT_GT(times(two_words, bare), 0); }
TEST(old_values, fences_and_release_and_acquire_keep_the_order) {
  EXPECT_EQ(times(two_words, fenced), 0);
  EXPECT_EQ(times(two_words, ordered), 0);
}

// One word only goes forward, for each lane and for whom it tells.
__global__ void one_word(int* word, int* wrong) {
  if (blockIdx.x == 0) {
    for (int i = 1; i <= 20; ++i) store(word, i);
  } else {
    for (int last = 0; last < 20;) {
      int const x = load(word);
      if (x < last) *wrong = 1;
      last = x;
    }
    if (atomicAdd(word, 0) != 20) *wrong = 1;
  }
}
TEST(old_values, of_one_word_never_come_back) { EXPECT_EQ(times(one_word), 0); }

// Each block sets its word and looks at the other's: with fences, one of them sees the other.
__global__ void each_looks(int* word, int* neither, how way) {
  int const me = blockIdx.x;
  store(word + me, 1);
  if (way == fenced) __threadfence();
  if (load(word + 1 - me) == 0) atomicAdd(word + 2, 1);
  if (atomicAdd(word + 2, 0) == 2) atomicExch(neither, 1);
}
TEST(old_values, fences_let_one_of_two_see_the_other) {
  EXPECT_GT(times(each_looks, bare), 0);
  EXPECT_EQ(times(each_looks, fenced), 0);
}

// What a barrier has ordered is not old.
__global__ void within_a_block(int* word, int* wrong) {
  if (threadIdx.x == 0) store(word + blockIdx.x, 1);
  __syncthreads();
  if (load(word + blockIdx.x) != 1) *wrong = 1;
}
TEST(old_values, are_past_after_a_barrier) {
  device_array<int> words(3);
  words.fill_bytes(0);
  launch(within_a_block, 2, 64)(words.data(), words.data() + 2);
  EXPECT_EQ(words.to_host()[2], 0);
}

}  // namespace
