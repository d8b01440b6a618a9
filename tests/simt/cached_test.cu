// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "simt/expect_finding.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

using tally::device_array;
using tally::launch;

namespace {

template <class T>
__global__ void copy_each_way(T const* in, T* out) {
  int const i = threadIdx.x;
  __stwb(out + 6 * i, __ldg(in + i));
  __stcg(out + 6 * i + 1, __ldcg(in + i));
  __stcs(out + 6 * i + 2, __ldcs(in + i));
  __stwt(out + 6 * i + 3, __ldca(in + i));
  __stwt(out + 6 * i + 4, __ldlu(in + i));
  __stwt(out + 6 * i + 5, __ldcv(in + i));
}

template <class T>
class cached : public testing::Test {};
using cached_types =
    testing::Types<char, signed char, unsigned char, short, unsigned short, int, unsigned, long,
                   unsigned long, long long, unsigned long long, float, double, char2, char4,
                   uchar2, uchar4, short2, short4, ushort2, ushort4, int2, int4, uint2, uint4,
                   float2, float4, longlong2, ulonglong2, double2>;
TYPED_TEST_SUITE(cached, cached_types);

TYPED_TEST(cached, loads_and_stores_carry_every_byte) {
  using T = TypeParam;
  std::vector<unsigned char> bytes(8 * sizeof(T));
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = 7 * i + 1;
  device_array<T> in(8), out(48);
  cudaMemcpy(in.data(), bytes.data(), bytes.size(), cudaMemcpyHostToDevice);
  launch(copy_each_way<T>, 1, 8)(in.data(), out.data());
  auto const got = out.to_host();
  for (int i = 0; i < 48; ++i) {
    ASSERT_EQ(std::memcmp(&got[i], &bytes[i / 6 * sizeof(T)], sizeof(T)), 0);
  }
}

constexpr int load_line = __LINE__ + 3;
template <class T>
__global__ void load_uncached(T const* in, T* out, int offset) {
  out[threadIdx.x] = __ldcg(in + threadIdx.x + offset);
}
TEST(cached, the_line_of_a_bad_load_is_the_callers) {
  device_array<int> in(40), out(32);
  in.fill_bytes(0);
  launch(load_uncached<int>, 1, 32)(in.data(), out.data(), 8);
  launch(load_uncached<int>, 1, 32)(in.data(), out.data(), 9);
  expect_finding("out of bounds", "load_uncached<int>", load_line, {31, 0, 0});
}
TEST(cached, a_wide_load_must_be_aligned) {
  device_array<uint4> in(3), out(1);
  in.fill_bytes(0);
  launch(load_uncached<uint4>, 1, 1)(in.data(), out.data(), 2);
  auto const* const shifted =
      reinterpret_cast<uint4 const*>(reinterpret_cast<unsigned const*>(in.data()) + 2);
  launch(load_uncached<uint4>, 1, 1)(shifted, out.data(), 1);
  expect_finding("misaligned", "load_uncached<uint4>", load_line, {});
}

constexpr int shared_line = __LINE__ + 6;
__global__ void load_shared(int* out, bool from_shared) {
  __shared__ int s[32];
  s[threadIdx.x] = 1;
  out[threadIdx.x] = 1;
  __syncwarp();
  out[threadIdx.x] = __ldcg((from_shared ? s : out) + threadIdx.x);
}
TEST(cached, shared_memory_has_no_such_loads) {
  device_array<int> out(32);
  launch(load_shared, 1, 32)(out.data(), false);
  launch(load_shared, 1, 32)(out.data(), true);
  expect_finding("out of bounds", "load_shared", shared_line);
}

constexpr int read_only_line = __LINE__ + 4;
__global__ void load_what_is_written(int* data, int* out, bool read_only) {
  data[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = read_only ? __ldg(data + (threadIdx.x ^ 1)) : __ldcg(data + (threadIdx.x ^ 1));
}
TEST(cached, ldg_of_what_the_launch_has_written_is_found) {
  device_array<int> data(32), out(32);
  launch(load_what_is_written, 1, 32)(data.data(), out.data(), false);
  launch(load_uncached<int>, 1, 32)(data.data(), out.data(), 0);
  launch(load_what_is_written, 1, 32)(data.data(), out.data(), true);
  expect_finding("race", "load_what_is_written", read_only_line);
}

}  // namespace
