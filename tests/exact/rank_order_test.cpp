// SPDX-License-Identifier: Apache-2.0
#include "tally/exact/rank_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

namespace tally {
namespace {

template <class T>
class rank_order_of : public ::testing::Test {};
using every_element =
    ::testing::Types<bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                     std::uint32_t, std::int64_t, std::uint64_t, float16, bfloat16, float, double>;
TYPED_TEST_SUITE(rank_order_of, every_element);

// The first bits of every kind, and any others.
template <class T>
std::vector<T> patterns() {
  std::vector<T> all;
  std::mt19937_64 random(1);
  for (int top = 0; top < 256; ++top)
    for (int low : {0, 1, 127, 255}) {
      std::uint64_t const bits =
          std::uint64_t(top) << (8 * sizeof(T) - 8) | (sizeof(T) > 1 ? std::uint64_t(low) : 0);
      if (!std::is_same_v<T, bool>) all.push_back(from_bits<T>(bits_of<T>(bits)));
    }
  if (std::is_same_v<T, bool>) return {T(0), T(1)};
  for (int i = 0; i < 500; ++i) all.push_back(from_bits<T>(bits_of<T>(random())));
  return all;
}

TYPED_TEST(rank_order_of, is_that_of_the_numbers) {
  using T = TypeParam;
  auto const all = patterns<T>();
  for (bool smallest : {false, true})
    for (bool skips : {false, true}) {
      auto const order = rank_order<bits_of<T>>::of(std::type_identity<T>{}, smallest, skips);
      EXPECT_EQ(order.skips, skips && floating<T>);
      for (T a : all)
        for (T b : all) {
          auto const x = order(to_bits(a)), y = order(to_bits(b));
          if (is_nan(a) && is_nan(b)) {
            ASSERT_EQ(x, y);
            if (skips) {
              ASSERT_EQ(x, 0);
            }
          } else if (is_nan(a)) {
            bool const worse = skips || smallest;
            ASSERT_EQ(x < y, worse);
            ASSERT_EQ(x > y, !worse);
          } else if (!is_nan(b)) {
            bool less, more;
            if constexpr (floating<T>)
              less = double(a)<double(b), more = double(a)> double(b);
            else
              less = a<b, more = a> b;
            ASSERT_EQ(x < y, smallest ? more : less) << +to_bits(a) << " " << +to_bits(b);
            ASSERT_EQ(x > y, smallest ? less : more) << +to_bits(a) << " " << +to_bits(b);
          }
        }
    }
}

TYPED_TEST(rank_order_of, has_a_best_key) {
  using T = TypeParam;
  if (std::is_same_v<T, bool>) return;
  auto all = patterns<T>();
  if constexpr (floating<T>)
    all.insert(all.end(), {quiet_nan<T>(), infinity<T>(true), infinity<T>(false)});
  else
    all.insert(all.end(), {std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max()});
  for (bool smallest : {false, true})
    for (bool skips : {false, true}) {
      auto const order = rank_order<bits_of<T>>::of(std::type_identity<T>{}, smallest, skips);
      bits_of<T> best = 0;
      for (T x : all) best = std::max(best, order(to_bits(x)));
      EXPECT_EQ(order.best(), best);
    }
}

TYPED_TEST(rank_order_of, gives_the_element_back_that_has_a_key) {
  using T = TypeParam;
  for (bool smallest : {false, true})
    for (bool skips : {false, true}) {
      auto const order = rank_order<bits_of<T>>::of(std::type_identity<T>{}, smallest, skips);
      for (T x : patterns<T>()) {
        auto const key = order(to_bits(x));
        bool const several = floating<T> && (is_nan(x) || double(x) == 0);
        ASSERT_EQ(order.is_of_several(key), several) << +to_bits(x);
        if (!several) {
          ASSERT_EQ(order.element_of(key), to_bits(x));
        }
      }
    }
}

}  // namespace
}  // namespace tally
