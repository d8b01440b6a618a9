// SPDX-License-Identifier: Apache-2.0
#include <cuda_pipeline.h>

#include <cstring>
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

}  // namespace
