// SPDX-License-Identifier: Apache-2.0
#include "tally/device/reduce/rows/lanes_of_ends.cuh"

#include "support/device_reduce_rows.cuh"
#include "tally/device/reduce/agent/extrema.cuh"

namespace {

using namespace support;

template <class T>
struct extrema_of_rows_on_a_device : ::testing::Test {};
using types = ::testing::Types<float, tally::bfloat16, double, std::int32_t, std::uint8_t>;
TYPED_TEST_SUITE(extrema_of_rows_on_a_device, types);

TYPED_TEST(extrema_of_rows_on_a_device, have_extrema_and_places) {
  expect_all<TypeParam>(tally::maximum{}, tally::skip);
  expect_all<TypeParam>(tally::arg_minimum{});
  expect_all<TypeParam>(tally::min_max{});
}

}  // namespace
