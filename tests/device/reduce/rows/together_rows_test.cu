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
struct rows_reduced_together_on_a_device : ::testing::Test {};
using types = ::testing::Types<float, tally::bfloat16, double, std::int32_t, std::uint8_t>;
TYPED_TEST_SUITE(rows_reduced_together_on_a_device, types);

TYPED_TEST(rows_reduced_together_on_a_device, have_several_results_at_once) {
  expect_all<TypeParam>(tally::all_together(tally::sum{}, tally::arg_maximum{}, tally::mean{}));
  expect_all<TypeParam>(tally::all_together(tally::maximum{}, tally::variance{}), tally::skip);
}

}  // namespace
