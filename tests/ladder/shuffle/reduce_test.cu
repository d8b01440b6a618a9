// SPDX-License-Identifier: Apache-2.0
#include "ladder/shuffle/11_reduce.cu"

#include <gtest/gtest.h>

#include "tests/support/lanes_of_a_warp.cuh"

namespace ladder::shuffle {
namespace {

struct algorithm {
  __device__ long long operator()(long long x) const { return sum_in_first_lane(x, sum<int>{}); }
};

// A butterfly would have the sum in all lanes.
TEST(shuffle_reduce, has_the_sum_in_the_first_lane_only) {
  EXPECT_EQ(lanes_of(algorithm{}), sums_downward());
  EXPECT_EQ(sums_downward().front(), 0xffffffff);
  EXPECT_NE(sums_downward().back(), 0xffffffff);
}

}  // namespace
}  // namespace ladder::shuffle
