// SPDX-License-Identifier: Apache-2.0
#include "ladder/shuffle/10_through_shared.cu"

#include <gtest/gtest.h>

#include "tests/support/lanes_of_a_warp.cuh"

namespace ladder::shuffle {
namespace {

struct algorithm {
  __device__ long long operator()(long long x) const {
    __shared__ long long of_warp[32];
    return sum_through_shared(x, sum<int>{}, of_warp);
  }
};

TEST(through_shared, every_lane_adds_what_a_shuffle_would_bring) {
  EXPECT_EQ(lanes_of(algorithm{}), sums_downward());
}

}  // namespace
}  // namespace ladder::shuffle
