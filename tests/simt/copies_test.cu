// SPDX-License-Identifier: Apache-2.0
#include <cuda_pipeline.h>

#include <cstring>
#include <cuda/ptx>
#include <numeric>

#include "simt/expect_finding.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

using tally::device_array;
using tally::launch;

namespace {

std::vector<int> numbers(int n) {
  std::vector<int> v(n);
  std::iota(v.begin(), v.end(), 0);
  return v;
}

constexpr int memcpy_line = __LINE__ + 2;
__global__ void copy_rows(char* to, char const* from, unsigned row, unsigned bytes) {
  std::memcpy(to + threadIdx.x * row, from + threadIdx.x * row, bytes);
}
TEST(memcpy_of_a_kernel, is_seen_whatever_its_size) {
  device_array<char> from(192), to(192);
  from.fill_bytes(3);
  launch(copy_rows, 1, 2)(to.data(), from.data(), 96, 96);
  EXPECT_EQ(to.to_host()[191], 3);
  launch(copy_rows, 1, 1)(to.data(), from.data(), 96, 193);
  expect_finding("out of bounds", "copy_rows", memcpy_line, {});
  launch(copy_rows, 1, 2)(to.data(), from.data(), 95, 96);
  expect_finding("race", "copy_rows", memcpy_line);
}

constexpr int memset_line = __LINE__ + 1;
__global__ void clear_rows(char* to, unsigned row) { std::memset(to + threadIdx.x * row, 0, 64); }
TEST(memset_of_a_kernel, is_seen) {
  device_array<char> to(128);
  launch(clear_rows, 1, 2)(to.data(), 64);
  launch(clear_rows, 1, 2)(to.data(), 60);
  expect_finding("race", "clear_rows", memset_line);
}

enum fault { none, no_wait, no_barrier, no_barrier_before, source_changes };

// Sums tiles of a warp's width through two buffers; each lane adds what its neighbour copied.
constexpr int pipeline_line = __LINE__ + 1;
__global__ void sum_tiles(int* in, int* out, int tiles, fault how) {
  __shared__ int buffer[2][32];
  int const i = threadIdx.x;
  auto const start = [&](int tile) {
    if (tile < tiles) __pipeline_memcpy_async(&buffer[tile % 2][i], in + 32 * tile + i, 4);
    __pipeline_commit();
  };
  int sum = 0;
  start(0);
  for (int tile = 0; tile < tiles; ++tile) {
    start(tile + 1);
    if (how == source_changes && tile == 0) in[32 + (i ^ 1)] = 7;
    __pipeline_wait_prior(how == no_wait ? 2 : 1);
    if (how != no_barrier) __syncthreads();
    sum += buffer[tile % 2][how == no_wait ? i : 31 - i];
    if (how != no_barrier_before) __syncthreads();
  }
  out[i] = sum;
}
std::string kind_of(fault how) {
  auto const v = numbers(128);
  device_array<int> in{std::span<int const>(v)}, out(32);
  launch(sum_tiles, 1, 32)(in.data(), out.data(), 4, how);
  auto const found = simt::take_reports();
  if (!found.empty()) {
    EXPECT_GT(found[0].line, pipeline_line);
    return found[0].kind;
  }
  EXPECT_EQ(out.to_host()[3], 4 * 28 + 32 * 6);
  return "";
}
TEST(asynchronous_copy, arrives_when_it_is_waited_for) { EXPECT_EQ(kind_of(none), ""); }
TEST(asynchronous_copy, has_no_value_before) { EXPECT_EQ(kind_of(no_wait), "uninitialised"); }
TEST(asynchronous_copy, is_for_other_lanes_only_after_a_barrier) {
  EXPECT_EQ(kind_of(no_barrier), "race");
}
TEST(asynchronous_copy, may_begin_only_when_the_buffer_is_free) {
  EXPECT_EQ(kind_of(no_barrier_before), "race");
}
TEST(asynchronous_copy, is_not_ordered_with_writes_of_its_source) {
  EXPECT_EQ(kind_of(source_changes), "race");
}

__global__ void copy_with_zeros(int* out, int const* in, std::size_t bytes, std::size_t zeros) {
  __shared__ int4 s;
  __pipeline_memcpy_async(&s, in, bytes, zeros);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  for (int i = 0; i < 4; ++i) out[i] = reinterpret_cast<int*>(&s)[i];
}
TEST(asynchronous_copy, fills_up_with_zeros) {
  device_array<int> in(2), out(4);
  in.fill_bytes(1);
  launch(copy_with_zeros, 1, 1)(out.data(), in.data(), 16, 8);
  EXPECT_EQ(out.to_host(), (std::vector{0x01010101, 0x01010101, 0, 0}));
  launch(copy_with_zeros, 1, 1)(out.data(), in.data(), 16, 4);
  EXPECT_EQ(simt::take_reports().at(0).kind, "out of bounds");
  launch(copy_with_zeros, 1, 1)(out.data(), in.data(), 12, 4);
  EXPECT_EQ(simt::take_reports().at(0).kind, "misaligned");
}

enum class slip {
  none,
  not_awaited,
  awaits_another_phase,
  source_changes,
  expects_too_much,
  changed_while_copied,
  not_committed
};

// Turns over tiles of 32 numbers in shared memory, to and from which they are copied in bulk.
__global__ void turn_tiles(int* out, int* in, int tiles, slip how) {
  namespace ptx = cuda::ptx;
  alignas(16) __shared__ int tile[32];
  __shared__ std::uint64_t there;
  int const lane = int(threadIdx.x);
  if (lane == 0) ptx::mbarrier_init(&there, 1);
  __syncwarp();
  for (int t = 0; t < tiles; ++t) {
    if (lane == 0) {
      unsigned const bytes = how == slip::expects_too_much ? 256 : 128;
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &there,
                                     bytes);
      ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in + 32 * t, 128, &there);
    }
    if (how == slip::source_changes && lane == 1) in[32 * t] = 5;
    unsigned const phase = unsigned(t) + (how == slip::awaits_another_phase ? 1 : 0);
    if (how != slip::not_awaited)
      while (!ptx::mbarrier_try_wait_parity(&there, phase % 2)) {
      }
    int const x = tile[31 - lane];
    __syncwarp();
    tile[lane] = x;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncwarp();
    if (lane == 0) {
      ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + 32 * t, tile, 128);
      if (how != slip::not_committed) ptx::cp_async_bulk_commit_group();
    }
    if (how == slip::changed_while_copied && lane == 2) tile[0] = 7;
    if (lane == 0) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
    __syncwarp();
  }
}
// The first finding, if any; else "" if the answer is right.
std::string finding_of(slip how) {
  device_array<int> in(numbers(96)), out(96);
  out.fill_bytes(0);
  launch(turn_tiles, 1, 32)(out.data(), in.data(), 3, how);
  auto const found = simt::take_reports();
  if (!found.empty()) return found[0].kind;
  auto const got = out.to_host();
  for (int i = 0; i < 96; ++i)
    if (got[std::size_t(i)] != i / 32 * 32 + 31 - i % 32) return "wrong";
  return "";
}
TEST(bulk_copy, lands_before_its_barrier_is_past) { EXPECT_EQ(finding_of(slip::none), ""); }
TEST(bulk_copy, is_for_other_lanes_only_behind_its_barrier) {
  EXPECT_EQ(finding_of(slip::not_awaited), "race");
  EXPECT_EQ(finding_of(slip::awaits_another_phase), "race");
}
TEST(bulk_copy, is_not_ordered_with_writes_of_its_source) {
  EXPECT_EQ(finding_of(slip::source_changes), "race");
  EXPECT_EQ(finding_of(slip::changed_while_copied), "race");
}
TEST(bulk_copy, that_does_not_come_is_waited_for_in_vain) {
  EXPECT_EQ(finding_of(slip::expects_too_much), "hang");
}
TEST(bulk_copy, happens_when_its_group_is_waited_for) {
  EXPECT_EQ(finding_of(slip::not_committed), "wrong");
}

__global__ void copy_in_bulk(int* out, int const* in, unsigned bytes, bool awaits) {
  namespace ptx = cuda::ptx;
  alignas(16) __shared__ int tile[32];
  __shared__ std::uint64_t there;
  ptx::mbarrier_init(&there, 1);
  ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &there,
                                 bytes);
  ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in, bytes, &there);
  while (awaits && !ptx::mbarrier_try_wait_parity(&there, 0)) {
  }
  *out = tile[1];
}
TEST(bulk_copy, counts_whole_sectors_once) {
  simt::take_counts();
  EXPECT_EQ(finding_of(slip::none), "");
  auto const counted = simt::take_counts();
  ASSERT_EQ(counted.size(), 1u);
  auto const& all = counted[0].total;
  EXPECT_EQ(all.sectors, 2 * 3 * 128 / 32u);
  EXPECT_EQ(all.lines, 2 * 3u);
  EXPECT_EQ(all.bytes_read, 384u);
  EXPECT_EQ(all.bytes_written, 384u);
}
__global__ void copy_by_lanes(int* out, int const* in) {
  __shared__ int tile[32];
  bool const takes_part = threadIdx.x < 20;
  if (takes_part) __pipeline_memcpy_async(tile + threadIdx.x, in + threadIdx.x, sizeof(int));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncwarp();
  if (takes_part) out[threadIdx.x] = tile[19 - threadIdx.x];
}
TEST(asynchronous_copy, is_one_request_of_global_memory_and_one_of_shared) {
  device_array<int> const in(numbers(32));
  device_array<int> out(32);
  simt::take_counts();
  launch(copy_by_lanes, 1, 32)(out.data(), in.data());
  auto const all = simt::take_counts().at(0).total;
  EXPECT_EQ(all.sectors, 3 + 3u);
  EXPECT_EQ(all.lines, 2u);
  EXPECT_EQ(all.bank_conflicts, 0u);
}

TEST(bulk_copy, has_no_value_before) {
  device_array<int> const in(numbers(40));
  device_array<int> out(1);
  launch(copy_in_bulk, 1, 1)(out.data(), in.data(), 128, false);
  EXPECT_EQ(simt::take_reports().at(0).kind, "uninitialised");
}
TEST(bulk_copy, is_of_multiples_of_16_bytes) {
  device_array<int> const in(numbers(40));
  device_array<int> out(1);
  launch(copy_in_bulk, 1, 1)(out.data(), in.data(), 128, true);
  EXPECT_EQ(out.to_host()[0], 1);
  launch(copy_in_bulk, 1, 1)(out.data(), in.data() + 1, 64, true);
  EXPECT_EQ(simt::take_reports().at(0).kind, "misaligned");
  launch(copy_in_bulk, 1, 1)(out.data(), in.data(), 40, true);
  EXPECT_EQ(simt::take_reports().at(0).kind, "misaligned");
  launch(copy_in_bulk, 1, 1)(out.data(), in.data() + 16, 112, true);
  EXPECT_EQ(simt::take_reports().at(0).kind, "out of bounds");
}

}  // namespace
