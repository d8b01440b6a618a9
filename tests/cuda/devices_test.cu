// SPDX-License-Identifier: Apache-2.0
#include "tally/devices.hpp"

#include <gtest/gtest.h>

#include "tally/cuda/cuda_error.cuh"

namespace {

TEST(Gpus, are_those_that_the_runtime_counts_in_its_order) {
  int count;
  tally::check(cudaGetDeviceCount(&count));
  auto const found = tally::gpus();
  ASSERT_EQ(found.size(), std::size_t(count));
  for (int i = 0; i < count; ++i) EXPECT_EQ(found[std::size_t(i)].index, i);
}

TEST(Gpus, have_the_properties_that_their_attributes_give) {
  for (auto const& gpu : tally::gpus()) {
    auto const expect = [&](cudaDeviceAttr which, auto value) {
      int wanted;
      tally::check(cudaDeviceGetAttribute(&wanted, which, gpu.index));
      EXPECT_EQ((long long)value, wanted) << which;
    };
    expect(cudaDevAttrComputeCapabilityMajor, gpu.major);
    expect(cudaDevAttrComputeCapabilityMinor, gpu.minor);
    expect(cudaDevAttrMultiProcessorCount, gpu.multiprocessors);
    expect(cudaDevAttrTotalConstantMemory, gpu.constant_memory_bytes);
    expect(cudaDevAttrMaxSharedMemoryPerBlock, gpu.shared_memory_per_block_bytes);
    expect(cudaDevAttrMaxRegistersPerBlock, gpu.registers_per_block);
    expect(cudaDevAttrWarpSize, gpu.warp_size);
    expect(cudaDevAttrMaxThreadsPerBlock, gpu.max_threads_per_block);
    expect(cudaDevAttrMaxBlockDimX, gpu.max_block[0]);
    expect(cudaDevAttrMaxBlockDimZ, gpu.max_block[2]);
    expect(cudaDevAttrMaxGridDimX, gpu.max_grid[0]);
    expect(cudaDevAttrMaxGridDimY, gpu.max_grid[1]);
    expect(cudaDevAttrMaxPitch, gpu.max_pitch_bytes);
    expect(cudaDevAttrTextureAlignment, gpu.texture_alignment_bytes);
    expect(cudaDevAttrL2CacheSize, gpu.l2_bytes);
    expect(cudaDevAttrGlobalMemoryBusWidth, gpu.memory_bus_bits);
  }
}

TEST(Gpus, are_there_or_there_is_a_reason) {
  EXPECT_EQ(tally::gpus().empty(), !tally::no_gpu_because().empty());
}

}  // namespace
