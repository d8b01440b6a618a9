// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "simt/machine.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

using tally::device_array;
using tally::launch;

namespace {

simt::counts taken() {
  auto const all = simt::take_counts();
  EXPECT_EQ(all.size(), 1u);
  return all.back().total;
}

template <class T>
__global__ void read_strided(T const* in, T* out, int stride) {
  out[threadIdx.x] = in[threadIdx.x * stride];
}
template <class T>
simt::counts of_stride(int stride, int offset = 0, unsigned lanes = 32) {
  device_array<T> in(32 * 33), out(64);
  in.fill_bytes(0);
  simt::take_counts();
  launch(read_strided<T>, 1, lanes)(in.data() + offset, out.data(), stride);
  return taken();
}
constexpr int out_sectors = 4, out_lines = 1;  // of 32 floats

TEST(sectors, a_contiguous_float_a_lane_takes_four_and_one_line) {
  auto const c = of_stride<float>(1);
  EXPECT_EQ(c.sectors, 4 + out_sectors);
  EXPECT_EQ(c.lines, 1 + out_lines);
  EXPECT_EQ(c.bytes_read, 128);
  EXPECT_EQ(c.bytes_written, 128);
}
TEST(sectors, an_offset_takes_one_more) {
  auto const c = of_stride<float>(1, 1);
  EXPECT_EQ(c.sectors, 5 + out_sectors);
  EXPECT_EQ(c.lines, 2 + out_lines);
}
TEST(sectors, a_stride_takes_more_up_to_one_a_lane) {
  EXPECT_EQ(of_stride<float>(2).sectors, 8 + out_sectors);
  EXPECT_EQ(of_stride<float>(8).sectors, 32 + out_sectors);
  EXPECT_EQ(of_stride<float>(32).sectors, 32 + out_sectors);
  EXPECT_EQ(of_stride<float>(32).lines, 32 + out_lines);
}
TEST(sectors, one_address_takes_one) { EXPECT_EQ(of_stride<float>(0).sectors, 1 + out_sectors); }
TEST(sectors, wide_and_narrow_elements_are_counted_by_their_bytes) {
  EXPECT_EQ(of_stride<float4>(1).sectors, 16 + 16);
  EXPECT_EQ(of_stride<double>(1).sectors, 8 + 8);
  EXPECT_EQ(of_stride<unsigned char>(1).sectors, 1 + 1);
}
TEST(sectors, a_warp_of_fewer_lanes_is_a_warp) {
  EXPECT_EQ(of_stride<float>(1, 0, 8).sectors, 1 + 1);
  EXPECT_EQ(of_stride<float>(1, 0, 64).sectors, 2 * (4 + out_sectors));
}

__global__ void sum_serially(float const* in, float* out, int n, int far) {
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    sum += in[far ? threadIdx.x * n + i : i * 32 + threadIdx.x];
  }
  out[threadIdx.x] = sum;
}
TEST(sectors, a_loop_goes_in_step) {
  device_array<float> in(32 * 500), out(32);
  in.fill_bytes(0);
  simt::take_counts();
  launch(sum_serially, 1, 32)(in.data(), out.data(), 500, 0);
  EXPECT_EQ(taken().sectors, 500 * 4 + out_sectors);
  launch(sum_serially, 1, 32)(in.data(), out.data(), 500, 1);
  EXPECT_EQ(taken().sectors, 500 * 32 + out_sectors);
}

template <class T>
__global__ void use_banks(T* out, int stride) {
  __shared__ T s[32 * 33];
  for (int i = 0; i < 32 * 33; i += 32) s[i + threadIdx.x] = T{};
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x * stride];
}
template <class T>
std::uint64_t conflicts(int stride) {
  device_array<T> out(32);
  simt::take_counts();
  launch(use_banks<T>, 1, 32)(out.data(), stride);
  return taken().bank_conflicts;
}
TEST(bank_conflicts, grow_with_the_common_factor_of_stride_and_banks) {
  EXPECT_EQ(conflicts<float>(1), 0);
  EXPECT_EQ(conflicts<float>(2), 1);
  EXPECT_EQ(conflicts<float>(4), 3);
  EXPECT_EQ(conflicts<float>(32), 31);
}
TEST(bank_conflicts, are_none_for_odd_strides_and_one_word) {
  EXPECT_EQ(conflicts<float>(3), 0);
  EXPECT_EQ(conflicts<float>(33), 0);
  EXPECT_EQ(conflicts<float>(0), 0);
}
TEST(bank_conflicts, of_wide_elements_are_beyond_the_passes_that_they_need) {
  EXPECT_EQ(conflicts<double>(1), 0);
  EXPECT_EQ(conflicts<double>(2), 2);  // one in each half warp
  EXPECT_EQ(conflicts<float4>(1), 0);
  EXPECT_EQ(conflicts<float4>(2), 4);  // one in each quarter
  EXPECT_EQ(conflicts<unsigned char>(1), 0);
}

__global__ void a_bit_of_each(int* out) {
  __syncthreads();
  int x = __shfl_xor_sync(~0u, 1, 1);
  x += __any_sync(~0u, x);
  __syncwarp();
  atomicAdd(out, x);
  simt::count_application();
}
TEST(counts, of_barriers_shuffles_atomics_and_applications) {
  device_array<int> out(1);
  out.fill_bytes(0);
  simt::take_counts();
  launch(a_bit_of_each, 3, 64)(out.data());
  auto const c = taken();
  EXPECT_EQ(c.barriers, 3);
  EXPECT_EQ(c.warp_barriers, 3 * 2);
  EXPECT_EQ(c.shuffles, 3 * 2 * 2);
  EXPECT_EQ(c.atomics, 3 * 64);
  EXPECT_EQ(c.applications, 3 * 64);
}

TEST(counts, are_kept_by_launch_and_by_line) {
  of_stride<float>(1);
  device_array<float> in(64), out(64);
  in.fill_bytes(0);
  constexpr int line = __LINE__ + 1;
  launch(sum_serially, dim3(1, 1), 32)(in.data(), out.data(), 2, 0);
  launch(use_banks<float>, dim3(1, 1), 32)(out.data(), 2);
  auto const all = simt::take_counts();
  EXPECT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].kernel, "sum_serially");
  EXPECT_EQ(all[1].kernel, "use_banks<float>");
  EXPECT_EQ(all[1].grid, (simt::position{1, 1, 1}));
  EXPECT_EQ(all[1].block, (simt::position{32, 1, 1}));
  simt::counts sum;
  for (auto const& l : all[0].by_line) {
    EXPECT_EQ(l.file, "tests/simt/counting_test.cu");
    EXPECT_LT(l.line, line);
    sum += l.total;
  }
  EXPECT_EQ(sum.sectors, all[0].total.sectors);
  EXPECT_EQ(sum.bytes_read, 2 * 128);
  EXPECT_TRUE(simt::take_counts().empty());
}

}  // namespace
