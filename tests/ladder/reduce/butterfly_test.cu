// SPDX-License-Identifier: Apache-2.0
#include "ladder/reduce/09_butterfly.cu"

#include <gtest/gtest.h>

#include <vector>

#include "tally/cuda/device_array.cuh"

namespace ladder::reduce {
namespace {

template <unsigned block>
__global__ void of_all_lanes(long long* out) {
  auto* const shared = tally::dynamic_shared<long long>();
  auto const total = butterfly_total<block>(1ll << threadIdx.x % 62, shared, ladder::sum<int>{});
  if (threadIdx.x < 32) out[threadIdx.x] = total;
}

template <unsigned block>
void expect_total_in_all_lanes() {
  tally::device_array<long long> out(32);
  tally::launch(of_all_lanes<block>, 1, block, block * sizeof(long long), nullptr)(out.data());
  long long total = 0;
  for (unsigned t = 0; t < block; ++t) total += 1ll << t % 62;
  EXPECT_EQ(out.to_host(), std::vector<long long>(32, total)) << block;
}

// A tree of shuffles from lane to lane has it in the first lane only.
TEST(butterfly, gives_the_total_to_all_lanes) {
  expect_total_in_all_lanes<32>();
  expect_total_in_all_lanes<64>();
  expect_total_in_all_lanes<512>();
}

}  // namespace
}  // namespace ladder::reduce
