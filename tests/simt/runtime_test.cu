// SPDX-License-Identifier: Apache-2.0
#include "simt/expect_finding.hpp"
#include "tally/cuda/device_array.cuh"
#include "tally/cuda/launch.cuh"

using tally::device_array;
using tally::launch;

namespace {

__global__ void nothing_to_do() {}

cudaError_t try_launch(dim3 grid, dim3 block, std::size_t shared_bytes = 0) {
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared_bytes;
  cudaError_t const result = cudaLaunchKernelEx(&config, nothing_to_do);
  EXPECT_EQ(cudaGetLastError(), result);
  return result;
}

TEST(refused, launches_beyond_what_a_device_can_number) {
  EXPECT_EQ(try_launch(dim3(2, 3, 4), dim3(4, 4, 64)), cudaSuccess);
  EXPECT_EQ(try_launch(1, dim3(1, 1, 65)), cudaErrorInvalidConfiguration);
  EXPECT_EQ(try_launch(1, dim3(32, 33, 1)), cudaErrorInvalidConfiguration);
  EXPECT_EQ(try_launch(dim3(1, 65536), 1), cudaErrorInvalidConfiguration);
  EXPECT_EQ(try_launch(dim3(1, 1, 65536), 1), cudaErrorInvalidConfiguration);
  EXPECT_EQ(try_launch(1u << 31, 1), cudaErrorInvalidConfiguration);
  EXPECT_EQ(try_launch(dim3(1, 0), 1), cudaErrorInvalidConfiguration);
}
TEST(refused, much_shared_memory_that_was_not_asked_for) {
  EXPECT_EQ(try_launch(1, 32, 48 << 10), cudaSuccess);
  EXPECT_EQ(try_launch(1, 32, (48 << 10) + 1), cudaErrorInvalidValue);
  auto const ask = [](int bytes) {
    return cudaFuncSetAttribute(nothing_to_do, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  };
  EXPECT_EQ(ask((227 << 10) + 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(ask(100'000), cudaSuccess);
  EXPECT_EQ(try_launch(1, 32, 100'000), cudaSuccess);
  EXPECT_EQ(try_launch(1, 32, 100'001), cudaErrorInvalidValue);
}
TEST(refused, copies_that_name_the_wrong_side) {
  device_array<int> on_device(4);
  std::vector<int> on_host(4);
  auto const copy = [](void* to, void const* from, cudaMemcpyKind kind) {
    cudaError_t const result = cudaMemcpyAsync(to, from, 16, kind);
    EXPECT_EQ(cudaGetLastError(), result);
    return result;
  };
  int *d = on_device.data(), *h = on_host.data();
  EXPECT_EQ(copy(d, h, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(copy(h, d, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(copy(h, d, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(copy(h, h, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(copy(d, h, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(copy(d, h, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue);
}
TEST(host_calls, refuse_what_reaches_out_of_device_memory) {
  device_array<int> a(4);
  std::vector<int> v(8);
  EXPECT_EQ(cudaMemcpy(a.data(), v.data(), 32, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(a.data(), 0, 17), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(a.data() + 1), cudaErrorInvalidValue);
  EXPECT_STREQ(cudaGetErrorName(cudaGetLastError()), "cudaErrorInvalidValue");
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}
TEST(host_calls, refuse_launches_that_no_device_could_run) {
  EXPECT_THROW(launch(nothing_to_do, 1, 1025)(), tally::error);
  EXPECT_THROW(launch(nothing_to_do, 0, 32)(), tally::error);
  EXPECT_THROW(launch(nothing_to_do, 1, 32, 228 << 10)(), tally::error);
}

}  // namespace
