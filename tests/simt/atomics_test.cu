// SPDX-License-Identifier: Apache-2.0
#include <cuda/atomic>
#include <set>

#include "simt/expect_finding.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

using tally::device_array;
using tally::launch;

namespace {

__global__ void count_round(unsigned* up, unsigned* down, unsigned* seen, unsigned last) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  seen[2 * i] = atomicInc(up, last);
  seen[2 * i + 1] = atomicDec(down, last);
}
TEST(atomics, inc_and_dec_wrap) {
  device_array<unsigned> words(2), seen(2 * 70);
  words.fill_bytes(0);
  launch(count_round, 2, 35)(words.data(), words.data() + 1, seen.data(), 9);
  EXPECT_EQ(words.to_host(), (std::vector{0u, 0u}));
  std::multiset<unsigned> up, down;
  auto const s = seen.to_host();
  for (int i = 0; i < 70; ++i) up.insert(s[2 * i]), down.insert(s[2 * i + 1]);
  for (unsigned k = 0; k < 10; ++k) EXPECT_TRUE(up.count(k) == 7 && down.count(k) == 7);
  unsigned const above[2] = {10, 10};
  cudaMemcpy(words.data(), above, 8, cudaMemcpyHostToDevice);
  launch(count_round, 1, 1)(words.data(), words.data() + 1, seen.data(), 9);
  EXPECT_EQ(words.to_host(), (std::vector{0u, 9u}));
}

__global__ void signed_extremes(int* p, long long* q) {
  int const x = int(threadIdx.x) - 16;
  atomicMin(p, x);
  atomicMax(p + 1, x);
  atomicMin(q, x * (1ll << 40));
  atomicMax(q + 1, x * (1ll << 40));
}
TEST(atomics, min_and_max_of_signed_words_know_signs) {
  device_array<int> p(2);
  device_array<long long> q(2);
  p.fill_bytes(0xff), q.fill_bytes(0xff);
  launch(signed_extremes, 1, 32)(p.data(), q.data());
  EXPECT_EQ(p.to_host(), (std::vector{-16, 15}));
  EXPECT_EQ(q.to_host(), (std::vector{-16 * (1ll << 40), 15 * (1ll << 40)}));
}

__global__ void add_shorts(unsigned short* p) {
  for (unsigned short seen = *p, old; (old = atomicCAS(p, seen, seen + 3)) != seen;) seen = old;
}
__global__ void add_shorts_from_zero(unsigned short* p) {
  unsigned short* const mine = p + threadIdx.x % 2;
  for (unsigned short seen = 0, old; (old = atomicCAS(mine, seen, seen + 3)) != seen;) seen = old;
}
TEST(atomics, of_16_bits_leave_the_neighbour_alone) {
  device_array<unsigned short> p(2);
  p.fill_bytes(0);
  launch(add_shorts_from_zero, 1, 64)(p.data());
  EXPECT_EQ(p.to_host(), (std::vector<unsigned short>{96, 96}));
  launch(add_shorts, 1, 1)(p.data());
  EXPECT_EQ(p.to_host()[0], 99);
}

__global__ void add_64(unsigned long long* out) {
  __shared__ unsigned long long sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, (1ull << 33) * threadIdx.x + ~0ull);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(out, sum);
}
TEST(atomics, of_64_bits_add_in_shared_and_global_memory) {
  device_array<unsigned long long> out(1);
  out.fill_bytes(0);
  launch(add_64, 5, 64)(out.data());
  EXPECT_EQ(out.to_host()[0], 5 * ((1ull << 33) * 2016 - 64));
}

// Of a block's scope: atomic for the block's own lanes only.
constexpr int block_scope_line = __LINE__ + 2;
__global__ void add_for_the_block(int* sums, int stride) {
  atomicAdd_block(sums + blockIdx.x * stride, 1);
}
TEST(scope, atomics_of_one_block_race_with_those_of_another) {
  device_array<int> sums(4);
  sums.fill_bytes(0);
  launch(add_for_the_block, 4, 32)(sums.data(), 1);
  EXPECT_EQ(sums.to_host(), (std::vector{32, 32, 32, 32}));
  launch(add_for_the_block, 4, 32)(sums.data(), 0);
  expect_finding("race", "add_for_the_block", block_scope_line);
}
constexpr int mixed_scopes_line = __LINE__ + 5;
__global__ void add_in_two_scopes(int* sum, unsigned narrow_block) {
  if (blockIdx.x == narrow_block) {
    atomicAdd_block(sum, 1);
  } else {
    atomicAdd(sum, 1);
  }
}
TEST(scope, both_sides_must_include_each_other) {
  device_array<int> sum(1);
  sum.fill_bytes(0);
  launch(add_in_two_scopes, 3, 32)(sum.data(), 3);
  launch(add_in_two_scopes, 1, 32)(sum.data(), 0);
  EXPECT_EQ(sum.to_host()[0], 128);
  simt::machine().order = simt::block_order::ascending;
  launch(add_in_two_scopes, 3, 32)(sum.data(), 1);
  simt::machine() = {};
  auto const found = simt::take_reports();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, "race");
  EXPECT_TRUE(found[0].line == mixed_scopes_line || found[0].line == mixed_scopes_line - 2);
}

// A compare-and-swap hands on what was before it only where it swaps.
__global__ void hand_over_by_swap(int* data, int* lock, int* out, int expected) {
  if (threadIdx.x == 0) {
    *data = 5;
    __nv_atomic_compare_exchange_n(lock, &expected, 1, false, __NV_ATOMIC_RELEASE,
                                   __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_store_n(lock + 1, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  } else {
    while (!__nv_atomic_load_n(lock + 1, __NV_ATOMIC_RELAXED)) continue;
    __nv_atomic_load_n(lock, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE);
    *out = *data;
  }
}
TEST(compare_exchange, orders_only_if_it_succeeds) {
  device_array<int> words(4);
  for (int expected : {0, 7}) {
    words.fill_bytes(0);
    launch(hand_over_by_swap, 1, 2)(words.data(), words.data() + 1, words.data() + 3, expected);
    auto const found = simt::take_reports();
    ASSERT_EQ(found.size(), expected ? 1u : 0u);
    EXPECT_EQ(found.empty() ? "race" : found[0].kind, "race");
  }
}

__global__ void pass_by_fences(int* data, int* flag, int* out, int write_order, int read_order) {
  cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
  if (blockIdx.x == 0) {
    *data = 5;
    cuda::atomic_thread_fence(cuda::memory_order(write_order), cuda::thread_scope_device);
    ready.store(1, cuda::memory_order_relaxed);
  } else {
    while (!ready.load(cuda::memory_order_relaxed)) continue;
    __nv_atomic_thread_fence(read_order, __NV_THREAD_SCOPE_DEVICE);
    *out = *data;
  }
}
TEST(fence, has_the_order_that_it_says) {
  constexpr int acquire = __NV_ATOMIC_ACQUIRE, release = __NV_ATOMIC_RELEASE;
  device_array<int> words(3);
  for (auto [write, read, right] : {std::tuple{release, acquire, true},
                                    {__NV_ATOMIC_ACQ_REL, __NV_ATOMIC_SEQ_CST, true},
                                    {acquire, acquire, false},
                                    {release, release, false}}) {
    words.fill_bytes(0);
    launch(pass_by_fences, 2, 1)(words.data(), words.data() + 1, words.data() + 2, write, read);
    EXPECT_EQ(simt::take_reports().empty(), right) << write << ' ' << read;
  }
}

// Decoupled look-back: each block adds what the blocks before it published, a status word each.
struct alignas(16) wide_status {
  unsigned long long value, state;
};
struct narrow_status {
  using word = unsigned long long;
  static __device__ word pack(unsigned long long value, unsigned state) {
    return value << 2 | state;
  }
  static __device__ unsigned state(word w) { return w & 3; }
  static __device__ unsigned long long value(word w) { return w >> 2; }
};
struct broad_status {
  using word = wide_status;
  static __device__ word pack(unsigned long long value, unsigned state) { return {value, state}; }
  static __device__ unsigned state(word w) { return w.state; }
  static __device__ unsigned long long value(word w) { return w.value; }
};
enum : unsigned { nothing, own_sum, whole_prefix };

template <class Status>
__global__ void look_back(typename Status::word* status, unsigned* ticket, unsigned count,
                          unsigned long long* prefixes) {
  __shared__ unsigned mine;
  if (threadIdx.x == 0) mine = atomicInc(ticket, count - 1);
  __syncthreads();
  if (threadIdx.x) return;
  auto const publish = [&](unsigned long long value, unsigned state) {
    auto word = Status::pack(value, state);
    __nv_atomic_store(status + mine, &word, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  };
  publish(mine + 1, mine ? own_sum : whole_prefix);
  unsigned long long sum = mine + 1;
  for (unsigned at = mine; at > 0; --at) {
    typename Status::word seen;
    do {
      __nv_atomic_load(status + at - 1, &seen, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    } while (Status::state(seen) == nothing);
    sum += Status::value(seen);
    if (Status::state(seen) == whole_prefix) break;
  }
  publish(sum, whole_prefix);
  prefixes[mine] = sum;
}
template <class Status>
void expect_look_back_right() {
  constexpr unsigned blocks = 40;
  device_array<typename Status::word> status(blocks);
  device_array<unsigned> ticket(1);
  device_array<unsigned long long> prefixes(blocks);
  ticket.fill_bytes(0);  // and left at zero by each launch
  for (simt::machine().seed = 1; simt::machine().seed <= 20; ++simt::machine().seed) {
    status.fill_bytes(0);
    launch(look_back<Status>, blocks, 32)(status.data(), ticket.data(), blocks, prefixes.data());
    ASSERT_TRUE(simt::take_reports().empty());
    auto const got = prefixes.to_host();
    for (unsigned i = 0; i < blocks; ++i) ASSERT_EQ(got[i], (i + 1) * (i + 2) / 2);
  }
  simt::machine() = {};
}
TEST(look_back, works_with_words_of_64_bits) { expect_look_back_right<narrow_status>(); }
TEST(look_back, works_with_words_of_128_bits) { expect_look_back_right<broad_status>(); }

__global__ void exchange_wide(wide_status* p, int* swaps) {
  for (wide_status seen{0, 0};;) {
    wide_status const old = atomicCAS(p, seen, wide_status{seen.value + 1, ~seen.value - 1});
    if (old.value == seen.value && old.state == seen.state) break;
    seen = old;
  }
  cuda::atomic_ref<int, cuda::thread_scope_device>(*swaps).fetch_add(1);
}
TEST(atomics, of_128_bits_swap_whole) {
  device_array<wide_status> p(1);
  device_array<int> swaps(1);
  p.fill_bytes(0), swaps.fill_bytes(0);
  launch(exchange_wide, 2, 32)(p.data(), swaps.data());
  EXPECT_EQ(p.to_host()[0].value, 64u);
  EXPECT_EQ(p.to_host()[0].state, ~64ull);
  EXPECT_EQ(swaps.to_host()[0], 64);
}

}  // namespace
