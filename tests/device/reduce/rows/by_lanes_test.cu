// SPDX-License-Identifier: Apache-2.0
#include "tally/device/reduce/rows/by_lanes.cuh"

#include "support/device_reduce_rows.cuh"
#include "tally/definition/sum_of_squares.hpp"
#include "tally/device/reduce/agent/second_moments.cuh"
#include "tally/device/reduce/agent/sum.cuh"

namespace {

using namespace support;

template <class T>
struct moments_of_rows_on_a_device : ::testing::Test {};
using types = ::testing::Types<float, tally::bfloat16, double, std::int32_t, std::uint8_t>;
TYPED_TEST_SUITE(moments_of_rows_on_a_device, types);

TYPED_TEST(moments_of_rows_on_a_device, have_variances_and_norms) {
  expect_all<TypeParam>(tally::variance{1});
  expect_all<TypeParam>(tally::standard_deviation{}, tally::skip, 2);
  expect_all<TypeParam>(tally::norm{}, tally::skip, 3);
}
// A row's first element tells all where its elements are equal or lie close together; a tie of
// rounding only the agent tells.
TEST(rows_reduced_on_a_device_in_doubt, have_variances_around_their_first_element) {
  constexpr std::uint64_t count = 200, length = 64;
  std::mt19937_64 random(3);
  std::vector<float> x(count * length);
  for (std::uint64_t r = 0; r < count; ++r)
    for (std::uint64_t i = 0; i < length; ++i)
      x[r * length + i] = r % 3 == 0   ? 1.1f + float(r)
                          : r % 3 == 1 ? 0x1p22f + float(int(random() % 9)) / 2
                                       : 0x1p23f + float(i % 2) * 4097;
  tally::device_array<float> const data(x);
  test_call call(2);
  tally::row_layout const all{.count = count, .length = length, .stride = length};
  for (std::uint64_t const ddof : {0, 1})
    expect_rows(tally::detail::bind_reduce<float>(tally::variance{ddof}),
                tally::rows<float const>(data.data(), all), tally::rows<float const>(x.data(), all),
                call);
}

}  // namespace
