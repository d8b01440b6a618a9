// SPDX-License-Identifier: Apache-2.0
#include "tally/cuda/launch.cuh"

#include <gtest/gtest.h>

#include "tally/cuda/device_array.cuh"

namespace {

__global__ void last_first(int* out, int count) {
  tally::dynamic_shared<int>()[count - 1] = 7 + int(threadIdx.x);
  *out = tally::dynamic_shared<int>()[count - 1];
}
__global__ void last_second(int* out, int count) {
  tally::dynamic_shared<int>()[count - 1] = 8;
  *out = tally::dynamic_shared<int>()[count - 1];
}

int launched(void (*kernel)(int*, int), int bytes) {
  tally::device_array<int> out(1);
  tally::launch(kernel, 1, 1, bytes)(out.data(), bytes / int(sizeof(int)));
  return out.to_host()[0];
}

TEST(launch, gives_kernels_of_one_type_the_shared_memory_that_each_needs) {
  for (int kib : {20, 100, 60, 60, 100, 48, 49, 100}) {
    EXPECT_EQ(launched(last_first, kib << 10), 7) << kib;
    EXPECT_EQ(launched(last_second, (160 - kib) << 10), 8) << kib;
    EXPECT_EQ(launched(last_second, (160 - kib) << 10), 8) << kib;
  }
}

__global__ void with_own_shared(int* out, int count) {
  __shared__ int own[6 << 10];  // 24 KiB, beside what is asked for
  own[count % 7] = 9;
  tally::dynamic_shared<int>()[count - 1] = own[count % 7];
  *out = tally::dynamic_shared<int>()[count - 1];
}
TEST(launch, counts_what_a_kernel_has_of_its_own) {
  EXPECT_EQ(launched(with_own_shared, 28 << 10), 9);
  EXPECT_EQ(launched(with_own_shared, 25 << 10), 9);
}

TEST(launch, asks_again_where_a_grant_was_taken_back) {
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(launched(last_first, 100 << 10), 7);
    EXPECT_EQ(cudaFuncSetAttribute(reinterpret_cast<void const*>(last_first),
                                   cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 10),
              cudaSuccess);
  }
}

TEST(launch, refuses_more_than_there_is) {
  EXPECT_THROW(launched(last_first, 300 << 10), tally::error);
  EXPECT_EQ(launched(last_first, 100 << 10), 7);
}

}  // namespace
