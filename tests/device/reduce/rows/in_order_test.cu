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
std::vector<affine> affine_functions(std::uint64_t n, std::mt19937_64& random) {
  std::vector<affine> x(n);
  for (auto& f : x) f = {std::uint32_t(random()) | 1, std::uint32_t(random())};
  return x;
}

TEST(rows_reduced_on_a_device_by_ones_own, keep_their_order) {
  std::mt19937_64 random(5);
  test_call call(2);
  tally::operation<affine, then> const a{};
  for (auto const& [count, length] : row_shapes)
    for (auto const& c : row_cases(count, length, random)) {
      auto const x = affine_functions(c.size, random);
      tally::device_array<affine> const data(x);
      tally::device_array<std::int64_t> const offsets(c.offsets);
      expect_rows(
          a, tally::rows<affine const>(data.data() + c.origin, with_offsets(c, offsets.data())),
          tally::rows<affine const>(x.data() + c.origin, with_offsets(c, c.offsets.data())), call);
    }
}

// Rows of more than lanes read at once, many and few: these are cut into parts, and some of them
// end early.
template <class A, class T>
void expect_long_rows(A const& a, std::vector<T> (*make)(std::uint64_t, std::mt19937_64&)) {
  std::mt19937_64 random(11);
  for (auto const& [count, length] : {std::pair{130, 3100}, {33, 2500}, {2, 5000}, {5, 40000}}) {
    test_call call(1 + int(random() % 2));
    auto const x = make(std::uint64_t(count) * length, random);
    std::vector<std::int64_t> lengths(count);
    for (auto& n : lengths) n = std::int64_t(random() % (length + 1));
    tally::device_array<T> const data(x);
    tally::device_array<std::int64_t> const lengths_there(lengths);
    auto const rows = [&](T const* from, std::int64_t const* each) {
      return tally::rows<T const>(from, count, length, length, nullptr, each);
    };
    expect_rows(a, rows(data.data(), nullptr), rows(x.data(), nullptr), call);
    expect_rows(a, rows(data.data(), lengths_there.data()), rows(x.data(), lengths.data()), call);
  }
}
TEST(long_rows_reduced_in_order_on_a_device, follow_a_fixed_tree) {
  expect_long_rows(tally::tree_sum<float>{}, elements<float>);
}
TEST(long_rows_reduced_in_order_on_a_device, keep_their_order) {
  expect_long_rows(tally::operation<affine, then>{}, affine_functions);
}

// Many short segments and a long one, which lanes that are enough for those have, too.
TEST(rows_reduced_on_a_device_by_ones_own, keep_the_order_of_a_long_segment) {
  std::mt19937_64 random(13);
  tally::operation<affine, then> const a{};
  auto const x = affine_functions(9000, random);
  std::vector<std::int64_t> offsets{0};
  for (int i = 0; i < 200; ++i) offsets.push_back(offsets.back() + std::int64_t(random() % 20));
  offsets.push_back(8999), offsets.push_back(9000);
  tally::device_array<affine> const data(x);
  tally::device_array<std::int64_t> const offsets_there(offsets);
  auto const segments = [&](affine const* from, std::int64_t const* starts) {
    tally::rows<affine const> all(from, {.count = offsets.size() - 1,
                                         .length = x.size(),
                                         .starts = starts,
                                         .lengths = starts + 1,
                                         .lengths_from = starts});
    all.array_size = x.size();
    return all;
  };
  test_call call(1);
  expect_rows(a, segments(data.data(), offsets_there.data()), segments(x.data(), offsets.data()),
              call);
}

// Columns are cut into parts, the last of which may be one element.
TEST(rows_reduced_on_a_device_by_ones_own, keep_the_order_of_long_columns) {
  std::mt19937_64 random(7);
  tally::operation<affine, then> const a{};
  for (std::uint64_t const length : {33, 700, 3000})
    for (std::uint64_t const count : {1, 2, 19}) {
      test_call call(1 + int(random() % 20));
      auto const x = affine_functions(length * count, random);
      tally::device_array<affine> const data(x);
      tally::row_layout const all{
          .count = count, .length = length, .stride = 1, .step = std::int64_t(count)};
      expect_rows(a, tally::rows<affine const>(data.data(), all),
                  tally::rows<affine const>(x.data(), all), call);
    }
}

}  // namespace
