// SPDX-License-Identifier: Apache-2.0
#include "tally/automatic.hpp"

#include <gtest/gtest.h>

#include "tally/cuda/device_array.cuh"
#include "tally/devices.hpp"

namespace {

using namespace tally;

TEST(Automatic, is_the_gpu_that_holds_the_array) {
  std::vector<float> const in{1e30f, 1, -1e30f, 2};
  for (auto const& one : gpus()) {
    check(cudaSetDevice(one.index));
    device_array<float> const data(in);
    check(cudaSetDevice(0));
    auto where = best();
    EXPECT_EQ(reduce(where, std::span(data.data(), data.size()), sum{}), 3);
    EXPECT_EQ(where.ran(), "gpu:" + std::to_string(one.index));
    EXPECT_EQ(reduce(where, in, sum{}), 3);
    EXPECT_EQ(where.ran(), "cpu");
  }
}

TEST(Automatic, has_the_gpu_read_managed_memory) {
  float* data;
  check(cudaMallocManaged(&data, 2 * sizeof(float)));
  data[0] = data[1] = 4;
  auto where = best();
  EXPECT_EQ(reduce(where, std::span<float const>(data, 2), sum{}), 8);
  EXPECT_EQ(where.ran(), "gpu:0");
  check(cudaFree(data));
}

}  // namespace
