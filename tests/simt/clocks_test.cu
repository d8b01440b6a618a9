// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "simt/expect_finding.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

using tally::device_array;
using tally::launch;

namespace {

// How one lane tells another that data is there, and how the other learns it.
enum way {
  release_acquire,
  relaxed,
  fences,
  no_release_fence,
  no_acquire_fence,
  block_fences,
  volatile_fences,
  volatile_only
};

__device__ void tell(int* flag, way how) {
  if (how == release_acquire) {
    __nv_atomic_store_n(flag, 1, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
    return;
  }
  if (how == fences || how == no_acquire_fence || how == volatile_fences) __threadfence();
  if (how == block_fences) __threadfence_block();
  if (how == volatile_fences || how == volatile_only) {
    *static_cast<int volatile*>(flag) = 1;
  } else {
    __nv_atomic_store_n(flag, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  }
}

__device__ void learn(int* flag, way how) {
  if (how == release_acquire) {
    while (!__nv_atomic_load_n(flag, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE)) continue;
  } else if (how == volatile_fences || how == volatile_only) {
    while (!*static_cast<int volatile*>(flag)) continue;
  } else {
    while (!__nv_atomic_load_n(flag, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE)) continue;
  }
  if (how == fences || how == no_release_fence || how == volatile_fences) __threadfence();
  if (how == block_fences) __threadfence_block();
}

constexpr int data_line = __LINE__ + 4;
__global__ void pass(int* data, int* flag, int* out, way how, int receiver) {
  int const id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id == 0) {
    *data = 42;
    tell(flag, how);
  }
  if (id == receiver) {
    learn(flag, how);
    *out = *data;
  }
}

bool passes(way how, int receiver) {
  device_array<int> words(3);
  words.fill_bytes(0);
  launch(pass, 2, 32)(words.data(), words.data() + 1, words.data() + 2, how, receiver);
  auto const found = simt::take_reports();
  if (found.empty()) {
    EXPECT_EQ(words.to_host()[2], 42);
    return true;
  }
  EXPECT_EQ(found[0].kind, "race") << found[0].text;
  EXPECT_EQ(found[0].line, data_line + 5);
  EXPECT_NE(found[0].text.find(":" + std::to_string(data_line)), std::string::npos);
  return false;
}

TEST(order, release_and_acquire_order) {
  EXPECT_TRUE(passes(release_acquire, 40));
  EXPECT_TRUE(passes(release_acquire, 1));
}
TEST(order, relaxed_atomics_do_not) { EXPECT_FALSE(passes(relaxed, 40)); }
TEST(order, fences_on_both_sides_order) {
  EXPECT_TRUE(passes(fences, 40));
  EXPECT_TRUE(passes(volatile_fences, 40));
}
TEST(order, a_fence_on_one_side_does_not) {
  EXPECT_FALSE(passes(no_release_fence, 40));
  EXPECT_FALSE(passes(no_acquire_fence, 40));
  EXPECT_FALSE(passes(volatile_only, 40));
}
TEST(order, fences_of_a_block_order_within_a_block_only) {
  EXPECT_TRUE(passes(block_fences, 1));
  EXPECT_FALSE(passes(block_fences, 40));
}

// Data travels from block to block: each adds to what it got from the one before.
__global__ void chain(int* data, int* flags, int* ticket, bool barrier) {
  __shared__ int mine;
  if (threadIdx.x == 0) mine = atomicAdd(ticket, 1);
  __syncthreads();
  if (threadIdx.x == 5 && mine) {
    while (!__nv_atomic_load_n(flags + mine - 1, __NV_ATOMIC_ACQUIRE)) continue;
  }
  __syncthreads();
  if (threadIdx.x == 9) data[mine] = mine ? data[mine - 1] + data[0] : 1;
  if (barrier) __syncthreads();
  if (threadIdx.x == 7) __nv_atomic_store_n(flags + mine, 1, __NV_ATOMIC_RELEASE);
}
TEST(order, is_handed_on_through_barriers_and_blocks) {
  device_array<int> data(64), flags(64), ticket(1);
  for (bool barrier : {true, false}) {
    flags.fill_bytes(0);
    ticket.fill_bytes(0);
    launch(chain, 64, 32)(data.data(), flags.data(), ticket.data(), barrier);
    auto const found = simt::take_reports();
    ASSERT_EQ(found.empty(), barrier);
    if (barrier) {
      EXPECT_EQ(data.to_host()[63], 64);
    } else {
      EXPECT_EQ(found[0].kind, "race");
    }
  }
}

// The sum of the blocks' sums, by the block that comes last.
__global__ void last_block_sums(int const* in, int* partial, unsigned* count, int* out,
                                bool fence) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = in[blockIdx.x];
    if (fence) __threadfence();
    is_last = atomicInc(count, gridDim.x - 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (!is_last) return;
  int x = threadIdx.x < gridDim.x ? partial[threadIdx.x] : 0;
  for (int k = 16; k; k /= 2) x += __shfl_xor_sync(~0u, x, k);
  if (threadIdx.x == 0) *out = x;
}
TEST(order, the_last_block_knows_all_others_if_they_fence) {
  std::vector<int> v(32);
  std::iota(v.begin(), v.end(), 0);
  device_array<int> in{std::span<int const>(v)}, partial(32), out(1);
  device_array<unsigned> count(1);
  count.fill_bytes(0);
  for (simt::machine().seed = 1; simt::machine().seed <= 20; ++simt::machine().seed) {
    launch(last_block_sums, 32, 32)(in.data(), partial.data(), count.data(), out.data(), true);
    ASSERT_TRUE(simt::take_reports().empty());
    EXPECT_EQ(out.to_host()[0], 31 * 16);
  }
  simt::machine() = {};
  launch(last_block_sums, 32, 32)(in.data(), partial.data(), count.data(), out.data(), false);
  auto const found = simt::take_reports();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, "race");
}

}  // namespace
