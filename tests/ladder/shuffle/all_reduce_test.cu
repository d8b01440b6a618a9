// SPDX-License-Identifier: Apache-2.0
#include "ladder/shuffle/12_all_reduce.cu"

#include <gtest/gtest.h>

#include "tests/support/lanes_of_a_warp.cuh"

namespace ladder::shuffle {
namespace {

struct algorithm {
  __device__ long long operator()(long long x) const { return sum_in_all_lanes(x, sum<int>{}); }
};

TEST(all_reduce, has_the_sum_in_all_lanes) {
  EXPECT_EQ(lanes_of(algorithm{}), std::vector<long long>(32, 0xffffffff));
}

}  // namespace
}  // namespace ladder::shuffle
