// SPDX-License-Identifier: Apache-2.0
#include "simt/expect_finding.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

using tally::device_array;
using tally::launch;

__device__ int table[4] = {1, 2, 3, 4};

namespace {

__constant__ int constants[2] = {5, 6};
__device__ int written_by_kernels;

constexpr int global_end_line = __LINE__ + 2;
__global__ void write_one_behind(int* out, int n) {
  if (threadIdx.x == 7) out[n] = 1;
}
TEST(bounds, a_write_behind_global_memory_is_found_and_does_not_happen) {
  device_array<int> out(64), next(64);
  next.fill_bytes(0);
  launch(write_one_behind, 1, 32)(out.data(), 64);
  expect_finding("out of bounds", "write_one_behind", global_end_line, {7, 0, 0});
  launch(write_one_behind, 1, 32)(out.data(), 63);
}

constexpr int before_line = __LINE__ + 1;
__global__ void read_before(int const* in, int* out, int offset) { out[0] = in[offset]; }
TEST(bounds, a_read_before_global_memory_is_found) {
  device_array<int> in(64), out(64);
  in.fill_bytes(0);
  launch(read_before, 1, 1)(in.data(), out.data(), -1);
  auto const r = expect_finding("out of bounds", "read_before", before_line, {});
  EXPECT_NE(r.text.find("4 bytes before an allocation of 256 bytes"), r.text.npos) << r.text;
  launch(read_before, 1, 1)(in.data(), out.data(), 0);
}
TEST(bounds, the_last_bytes_of_an_odd_size_are_told_from_the_next) {
  device_array<char> in(5);
  device_array<int> out(1);
  in.fill_bytes(0);
  launch(read_before, 1, 1)(reinterpret_cast<int*>(in.data()), out.data(), 0);
  launch(read_before, 1, 1)(reinterpret_cast<int*>(in.data()), out.data(), 1);
  expect_finding("out of bounds", "read_before", before_line, {});
}
constexpr int own_array_line = __LINE__ + 4;
__global__ void read_own_array(int const* in, int* out, int count) {
  int own[5] = {};
  int sum = 0;
  for (int i = 0; i < count; ++i) sum += own[i] * in[i];
  out[0] = sum;
}
TEST(bounds, an_index_behind_a_threads_own_array_is_found) {
  device_array<int> in(8), out(1);
  in.fill_bytes(0);
  launch(read_own_array, 1, 1)(in.data(), out.data(), 5);
  launch(read_own_array, 1, 1)(in.data(), out.data(), 6);
  auto const r = expect_finding("out of bounds", "read_own_array", own_array_line, {});
  EXPECT_NE(r.text.find("index 5 of an array 'int [5]'"), r.text.npos) << r.text;
}
TEST(bounds, freed_memory_is_named) {
  int* in = nullptr;
  cudaMalloc(&in, 256);
  cudaMemset(in, 0, 256);
  cudaFree(in);
  device_array<int> out(1);
  launch(read_before, 1, 1)(in, out.data(), 3);
  auto const r = expect_finding("out of bounds", "read_before", before_line, {});
  EXPECT_NE(r.text.find("freed"), r.text.npos) << r.text;
}
// What is freed goes back in whole pages, of which the last may be the next array's, too.
TEST(bounds, freeing_an_array_leaves_its_neighbours_as_they_are) {
  for (int i = 0; i < 20; ++i) {
    device_array<char> large((std::size_t(64) << 10) + 512 * i);
    device_array<char> next(100);
    next.fill_bytes(7);
    large = {};
    EXPECT_EQ(next.to_host(), std::vector<char>(100, 7));
  }
}
TEST(bounds, memory_of_the_host_is_not_the_devices) {
  std::vector<int> in(4);
  device_array<int> out(1);
  launch(read_before, 1, 1)(in.data(), out.data(), 0);
  auto const r = expect_finding("out of bounds", "read_before", before_line, {});
  EXPECT_NE(r.text.find("host"), r.text.npos) << r.text;
}
TEST(bounds, null_is_out_of_bounds) {
  device_array<int> out(1);
  launch(read_before, 1, 1)(nullptr, out.data(), 0);
  expect_finding("out of bounds", "read_before", before_line, {});
}

constexpr int shared_end_line = __LINE__ + 5;
__global__ void write_shared(int n, int* out) {
  __shared__ int s[8];
  int* const first = s;
  first[threadIdx.x % 8] = 0;
  if (threadIdx.x == 3) first[n] = 1;
  out[threadIdx.x] = s[threadIdx.x % 8];
}
TEST(bounds, a_write_behind_shared_memory_is_found) {
  device_array<int> out(8);
  launch(write_shared, 1, 8)(8, out.data());
  auto const r = expect_finding("out of bounds", "write_shared", shared_end_line, {3, 0, 0});
  EXPECT_NE(r.text.find("0 bytes behind the shared variable s of 32 bytes"), r.text.npos) << r.text;
  launch(write_shared, 1, 8)(3, out.data());
}

constexpr int dynamic_line = __LINE__ + 3;
__global__ void write_dynamic(int n) {
  int* const s = tally::dynamic_shared<int>();
  s[threadIdx.x + n] = 1;
}
TEST(bounds, dynamic_shared_memory_is_as_large_as_the_launch_asked_for) {
  launch(write_dynamic, 1, 32, 128)(0);
  launch(write_dynamic, 1, 32, 124)(0);
  expect_finding("out of bounds", "write_dynamic", dynamic_line, {31, 0, 0});
  launch(write_dynamic, 1, 32, 100'000)(25'000 - 32);
}

constexpr int table_line = __LINE__ + 4;
__global__ void read_table(int i, int* out) {
  written_by_kernels = 1;
  int const* const first = table;  // of which g++ does not know where it ends
  *out = constants[1] + first[i];
}
TEST(bounds, variables_of_the_program_have_bounds) {
  device_array<int> out(1);
  launch(read_table, 1, 1)(2, out.data());
  EXPECT_EQ(out.to_host()[0], 9);
  EXPECT_EQ(written_by_kernels, 1);
  launch(read_table, 1, 1)(1 << 20, out.data());
  expect_finding("out of bounds", "read_table", table_line, {});
}

constexpr int neighbour_line = __LINE__ + 6;
__global__ void read_local_of_another(int** where, int* out) {
  int mine[4] = {int(threadIdx.x), 1, 2, 3};
  if (threadIdx.x == 0) *where = mine;
  __syncthreads();
  if (threadIdx.x == 1) {
    *out = (*where)[1];
  }
  __syncthreads();
  out[1 + threadIdx.x] = mine[threadIdx.x];
}
TEST(bounds, local_memory_of_another_lane_is_not_ours) {
  device_array<int*> where(1);
  device_array<int> out(4);
  launch(read_local_of_another, 1, 2)(where.data(), out.data());
  auto const r =
      expect_finding("out of bounds", "read_local_of_another", neighbour_line, {1, 0, 0});
  EXPECT_NE(r.text.find("local memory of another lane"), r.text.npos) << r.text;
}

constexpr int misaligned_line = __LINE__ + 2;
__global__ void read_wide(float const* in, float4* out) {
  out[0] = *reinterpret_cast<float4 const*>(in);
}
TEST(alignment, a_wide_read_between_its_multiples_is_found) {
  device_array<float> in(16);
  device_array<float4> out(1);
  in.fill_bytes(0);
  launch(read_wide, 1, 1)(in.data() + 4, out.data());
  launch(read_wide, 1, 1)(in.data() + 1, out.data());
  expect_finding("misaligned", "read_wide", misaligned_line, {});
}

constexpr int uninitialised_line = __LINE__ + 1;
__global__ void copy(int const* in, int* out) { out[threadIdx.x] = in[threadIdx.x]; }
TEST(initialisation, reading_what_nobody_wrote_is_found) {
  device_array<int> in(32), out(32), more(32);
  launch(copy, 1, 32)(in.data(), out.data());
  expect_finding("uninitialised", "copy", uninitialised_line, {0, 0, 0});
  in.fill_bytes(1);
  launch(copy, 1, 32)(in.data(), out.data());
  launch(copy, 1, 32)(out.data(), more.data());
  EXPECT_EQ(more.to_host()[31], 0x01010101);
}
TEST(initialisation, a_copy_on_the_device_carries_what_is_initialised) {
  device_array<int> in(32), half(16), out(32);
  half.fill_bytes(0);
  cudaMemcpy(in.data(), half.data(), 64, cudaMemcpyDeviceToDevice);
  launch(copy, 1, 16)(in.data(), out.data());
  launch(copy, 1, 32)(in.data(), out.data());
  expect_finding("uninitialised", "copy", uninitialised_line, {16, 0, 0});
}

constexpr int shared_uninitialised_line = __LINE__ + 4;
__global__ void sum_two_shared(int* out, int written) {
  __shared__ int s[2];
  for (int i = 0; i < written; ++i) s[i] = 1;
  out[blockIdx.x] = s[0] + s[1];
}
TEST(initialisation, each_block_finds_shared_memory_uninitialised) {
  device_array<int> out(64);
  launch(sum_two_shared, 64, 1)(out.data(), 2);
  launch(sum_two_shared, 1, 1)(out.data(), 1);
  expect_finding("uninitialised", "sum_two_shared", shared_uninitialised_line, {});
}

struct padded {
  int a;
  double b;
  char c;
};
struct triple {
  double x, y, z;
};
constexpr int struct_line = __LINE__ + 3;
template <class T>
__global__ void copy_struct(T const* in, T* out) {
  out[threadIdx.x] = in[threadIdx.x];
}
__global__ void make_padded(padded* out) {
  out[threadIdx.x].a = 1;
  out[threadIdx.x].b = 2;
  out[threadIdx.x].c = 3;
}
TEST(initialisation, padding_may_be_uninitialised_but_a_whole_struct_not) {
  device_array<padded> in(8), out(8);
  launch(copy_struct<padded>, 1, 8)(in.data(), out.data());
  expect_finding("uninitialised", "copy_struct<padded>", struct_line, {0, 0, 0});
  launch(make_padded, 1, 8)(in.data());
  launch(copy_struct<padded>, 1, 8)(in.data(), out.data());
}
TEST(bounds, a_struct_that_reaches_over_the_end_is_found) {
  device_array<triple> in(8);
  device_array<double> out(23);
  in.fill_bytes(0);
  launch(copy_struct<triple>, 1, 7)(in.data(), reinterpret_cast<triple*>(out.data()));
  launch(copy_struct<triple>, 1, 8)(in.data(), reinterpret_cast<triple*>(out.data()));
  expect_finding("out of bounds", "copy_struct<triple>", struct_line, {7, 0, 0});
}

TEST(host_calls, memory_that_comes_and_goes_is_found_again) {
  for (int i = 0; i < 2000; ++i) {
    device_array<int> a(std::size_t(1) << (i % 18)), out(32);
    a.fill_bytes(1);
    launch(copy, 1, 1)(a.data(), out.data());
  }
}

}  // namespace
