// SPDX-License-Identifier: Apache-2.0
#include "tally/device/reduce/rows/in_order.cuh"

#include "support/device_reduce_rows.cuh"
#include "tally/aggregate/fast_sum.hpp"
#include "tally/device/reduce/agent/integer_sum.cuh"

namespace {

using namespace support;

template <class T>
struct rows_reduced_in_order_on_a_device : ::testing::Test {};
using types = ::testing::Types<float, tally::bfloat16, double, std::int32_t, std::uint8_t>;
TYPED_TEST_SUITE(rows_reduced_in_order_on_a_device, types);

TYPED_TEST(rows_reduced_in_order_on_a_device, follow_a_fixed_tree_where_order_matters) {
  expect_all<TypeParam>(tally::fast_sum{});
}

// x -> a * x + b, one after the other: neither commutes, nor has what does nothing.
struct affine {
  std::uint32_t a, b;
};
struct then {
  TALLY_FN affine operator()(affine const& f, affine const& g) const {
    return {g.a * f.a, g.a * f.b + g.b};
  }
};
TEST(rows_reduced_on_a_device_by_ones_own, keep_their_order) {
  std::mt19937_64 random(5);
  test_call call(2);
  tally::operation<affine, then> const a{};
  for (auto const& [count, length] : row_shapes)
    for (auto const& c : row_cases(count, length, random)) {
      std::vector<affine> x(std::size_t(c.size));
      for (auto& f : x) f = {std::uint32_t(random()) | 1, std::uint32_t(random())};
      tally::device_array<affine> const data(x);
      tally::device_array<std::int64_t> const offsets(c.offsets);
      expect_rows(
          a, tally::rows<affine const>(data.data() + c.origin, with_offsets(c, offsets.data())),
          tally::rows<affine const>(x.data() + c.origin, with_offsets(c, c.offsets.data())), call);
    }
}

// Columns are cut into parts, the last of which may be one element.
TEST(rows_reduced_on_a_device_by_ones_own, keep_the_order_of_long_columns) {
  std::mt19937_64 random(7);
  tally::operation<affine, then> const a{};
  for (std::uint64_t const length : {33, 700, 3000})
    for (std::uint64_t const count : {1, 2, 19}) {
      test_call call(1 + int(random() % 20));
      std::vector<affine> x(length * count);
      for (auto& f : x) f = {std::uint32_t(random()) | 1, std::uint32_t(random())};
      tally::device_array<affine> const data(x);
      tally::row_layout const all{
          .count = count, .length = length, .stride = 1, .step = std::int64_t(count)};
      expect_rows(a, tally::rows<affine const>(data.data(), all),
                  tally::rows<affine const>(x.data(), all), call);
    }
}

}  // namespace
