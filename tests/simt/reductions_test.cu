// SPDX-License-Identifier: Apache-2.0
#include <cuda/atomic>

#include "simt/expect_finding.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

using tally::device_array;
using tally::launch;

// What replaces a word's value must be ordered after what was added to it.
namespace {

constexpr int relaxed = __NV_ATOMIC_RELAXED, device = __NV_THREAD_SCOPE_DEVICE;

// At seeds 0 to 8: how often there was a race in the kernel at this line, and nothing else; that
// all other launches left `expected` in the last of the words, which are 0 at first.
template <class... Parameters, class... More>
int races(void (*kernel)(Parameters...), dim3 grid, dim3 block, int line, int expected,
          More... more) {
  int found = 0;
  device_array<int> words(4);
  for (simt::machine().seed = 0; simt::machine().seed <= 8; ++simt::machine().seed) {
    words.fill_bytes(0);
    launch(kernel, grid, block)(words.data(), more...);
    auto const reports = simt::take_reports();
    for (auto const& r : reports) {
      EXPECT_EQ(r.kind, "race") << r.text;
      EXPECT_EQ(r.line, line) << r.text;
      EXPECT_NE(r.text.find("nothing orders the two"), r.text.npos) << r.text;
    }
    found += !reports.empty();
    if (reports.empty()) {
      EXPECT_EQ(words.to_host()[3], expected);
    }
  }
  simt::machine() = {};
  return found;
}

enum fences { both, writers, readers, none };

// Blocks add to a sum and say so; the first one reads it and puts it back to zero.
constexpr int exchange_line = __LINE__ + 11;
__global__ void sum_by_exchange(int* word, fences which) {
  if (blockIdx.x > 0) {
    atomicAdd(word, int(blockIdx.x));
    if (which == both || which == writers) __threadfence();
    __nv_atomic_fetch_add(word + 1, 1, relaxed, device);
    return;
  }
  while (__nv_atomic_load_n(word + 1, relaxed, device) != int(gridDim.x) - 1) continue;
  if (which == both || which == readers) __threadfence();

  word[3] = __nv_atomic_exchange_n(word, 0, relaxed, device);
}
TEST(reductions, an_exchange_must_be_ordered_after_them) {
  EXPECT_EQ(races(sum_by_exchange, 4, 1, exchange_line, 6, both), 0);
  EXPECT_EQ(races(sum_by_exchange, 4, 1, exchange_line, 6, writers), 9);
  EXPECT_EQ(races(sum_by_exchange, 4, 1, exchange_line, 6, readers), 9);
  EXPECT_EQ(races(sum_by_exchange, 4, 1, exchange_line, 6, none), 9);
}

// Likewise, with the order in the atomics themselves.
__global__ void sum_by_release(int* word) {
  cuda::atomic_ref<int, cuda::thread_scope_device> sum(word[0]), done(word[1]);
  if (blockIdx.x > 0) {
    sum.fetch_add(int(blockIdx.x), cuda::memory_order_relaxed);
    done.fetch_add(1, cuda::memory_order_release);
    return;
  }
  while (done.load(cuda::memory_order_acquire) != int(gridDim.x) - 1) continue;
  word[3] = sum.exchange(0, cuda::memory_order_relaxed);
}
TEST(reductions, release_and_acquire_order_them) {
  EXPECT_EQ(races(sum_by_release, 6, 1, 0, 15), 0);
}

// A store, or an exchange that nobody looks at, throws away what comes too early.
constexpr int store_line = __LINE__ + 13;
__global__ void sum_by_store(int* word, bool fence, bool exchanges) {
  if (blockIdx.x > 0) {
    atomicMax(word, int(blockIdx.x));
    if (fence) __threadfence();
    atomicAdd(word + 1, 1);
    return;
  }
  while (__nv_atomic_load_n(word + 1, relaxed, device) != int(gridDim.x) - 1) continue;
  __nv_atomic_thread_fence(__NV_ATOMIC_ACQ_REL, device);
  if (exchanges)
    atomicExch(word, 0);
  else
    __nv_atomic_store_n(word, 0, relaxed, device);
}
TEST(reductions, a_store_must_be_ordered_after_them) {
  for (bool exchanges : {false, true}) {
    int const line = exchanges ? store_line - 2 : store_line;
    EXPECT_EQ(races(sum_by_store, 3, 1, line, 0, true, exchanges), 0);
    EXPECT_EQ(races(sum_by_store, 3, 1, line, 0, false, exchanges), 9);
  }
}

// What the counter itself says needs no fence: one who finds all additions in it comes after them.
__global__ void last_block_resets(int* word, bool by_its_own) {
  bool is_last;
  if (by_its_own) {
    is_last = atomicAdd(word, 1) == int(gridDim.x) - 1;
  } else {
    atomicAdd(word, 1);
    is_last = blockIdx.x == 0;
    while (is_last && __nv_atomic_load_n(word, relaxed, device) != int(gridDim.x)) continue;
  }
  if (!is_last) return;
  __nv_atomic_store_n(word, 0, relaxed, device);
  word[3] = 1;
}
TEST(reductions, the_word_itself_orders_who_has_seen_them) {
  EXPECT_EQ(races(last_block_resets, 5, 1, 0, 1, true), 0);
  EXPECT_EQ(races(last_block_resets, 5, 1, 0, 1, false), 0);
}

// Tickets are taken at once: what is told on depends on them.
__global__ void tickets(int* word) {
  int drawn = atomicAdd(word, 1);
  __nv_atomic_store_n(word + 1 + (drawn == int(gridDim.x) - 1), 1, relaxed, device);
  if (drawn != int(gridDim.x) - 1) return;
  while (!__nv_atomic_load_n(word + 2, relaxed, device)) continue;
  __nv_atomic_store_n(word, 0, relaxed, device);
  word[3] = 1;
}
TEST(reductions, are_updates_whose_result_nobody_uses) { EXPECT_EQ(races(tickets, 5, 1, 0, 1), 0); }

// A counter that is emptied while others go on adding: nothing is lost, as somebody looks later.
constexpr int empty_line = __LINE__ + 6;
__global__ void empty_now_and_then(int* word, bool looks) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  for (int i = 0; i < 10; ++i) atomicAdd(&sum, 1);
  if (threadIdx.x == 40) word[3] = atomicExch(&sum, 0);
  __syncthreads();
  if (looks && threadIdx.x == 3) word[3] += sum;
}
TEST(reductions, may_go_on_while_a_word_is_emptied_if_it_is_read_once_more) {
  EXPECT_EQ(races(empty_now_and_then, 1, 64, empty_line, 640, true), 0);
  EXPECT_EQ(races(empty_now_and_then, 1, 64, empty_line, 640, false), 9);
}

// Locks, and flags that many set.
__global__ void locked(int* word) {
  while (atomicExch(word, 1)) continue;
  __threadfence();
  word[3] += 1;
  __threadfence();
  atomicExch(word, 0);
  __nv_atomic_store_n(word + 1, 1, relaxed, device);
}
TEST(reductions, are_not_locks_and_flags) { EXPECT_EQ(races(locked, 8, 1, 0, 8), 0); }

}  // namespace
