// SPDX-License-Identifier: Apache-2.0
#include "tally/aggregate/product.hpp"

#include <gtest/gtest.h>

#include <random>

#include "support/normal.hpp"
#include "tally/reduce.hpp"

namespace {

using namespace tally;

// The aligned tree by its definition: the elements [0, 2^k) are those of the left half, then of the
// right.
template <class T>
T tree(std::vector<T> const& x, std::size_t first, std::size_t width) {
  if (width == 1 || x.size() - first == 1) return x[first];
  T const left = tree(x, first, width / 2);
  return first + width / 2 < x.size() ? left * tree(x, first + width / 2, width / 2) : left;
}

TEST(product, of_floats_follows_the_aligned_tree_for_any_number_of_threads) {
  for (std::size_t const n : {1, 2, 3, 511, 512, 513, 4097, 70001}) {
    auto x = support::normal<double>(n);
    for (double& e : x) e = 1 + e / 1000;
    for (int const threads : {1, 3})
      EXPECT_EQ(reduce(cpu{threads}, x, product{}), tree(x, 0, 1 << 17)) << n;
  }
}

template <class T>
class product_of : public testing::Test {};
using integers = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(product_of, integers);

TYPED_TEST(product_of, integers_is_modulo_2_to_the_64) {
  std::mt19937_64 random(1);
  for (std::size_t const n : {1, 31, 33, 1023, 1025, 100000}) {
    std::vector<TypeParam> x(n);
    std::uint64_t expected = 1;
    for (auto& e : x) {
      e = TypeParam(random() | 1);
      expected *= std::uint64_t(std::int64_t(e));
    }
    EXPECT_EQ(std::uint64_t(reduce(cpu{3}, x, product{})), expected);
  }
}

TEST(product, of_nothing_is_one) {
  EXPECT_EQ(reduce(cpu{}, std::vector<float>{}, product{}), 1.0f);
  EXPECT_EQ(reduce(cpu{}, std::vector<std::uint8_t>{}, product{}), 1u);
  EXPECT_EQ(reduce(cpu{}, std::vector{quiet_nan<float>(), 2.0f, 3.0f}, product{}, {.nan = skip}),
            6.0f);
}

}  // namespace
