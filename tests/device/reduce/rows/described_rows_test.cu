// SPDX-License-Identifier: Apache-2.0
#include "tally/device/reduce/rows/lanes_of_several.cuh"

#include "support/device_reduce_rows.cuh"
#include "tally/device/reduce/agent/describe.cuh"
#include "tally/device/reduce/agent/extrema.cuh"
#include "tally/device/reduce/agent/integer_sum.cuh"
#include "tally/device/reduce/agent/second_moments.cuh"
#include "tally/device/reduce/agent/sum.cuh"
#include "tally/device/reduce/agent/together.cuh"

namespace {

using namespace support;

template <class T>
struct rows_described_on_a_device : ::testing::Test {};
using types = ::testing::Types<float, tally::bfloat16, double, std::int32_t, std::uint8_t>;
TYPED_TEST_SUITE(rows_described_on_a_device, types);

TYPED_TEST(rows_described_on_a_device, have_several_results_at_once) {
  expect_all<TypeParam>(tally::describe{1});
  expect_all<TypeParam>(tally::describe{}, tally::skip, 2);
}

}  // namespace
