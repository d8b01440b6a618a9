// SPDX-License-Identifier: Apache-2.0
#include "tally/exact/bit_ranges.hpp"

#include <gtest/gtest.h>

#include <random>

#include "tally/exact/float_format.hpp"

namespace tally {
namespace {

template <class T>
void expect_every_pattern_in_its_place(bool smallest, bool skips) {
  using bits = bits_of<T>;
  auto const order = rank_order<bits>::of(std::type_identity<T>{}, smallest, skips);
  unsigned const patterns = 1u << (8 * sizeof(bits));
  unsigned const step = sizeof(bits) == 1 ? 1 : 1543;
  for (unsigned i = 0; i < patterns; i += step)
    for (unsigned near : {0u, 1u, patterns / 2, patterns / 2 + 1, 0x7c00u, 0xfc00u, 0x7f80u}) {
      bits least = order(bits(i + near));
      if (near == 1 && least < order.best()) ++least;  // perhaps of no pattern
      if (skips && least == 0) continue;
      auto const ranges = bit_ranges<bits>::at_least(order, least);
      for (unsigned x = 0; x < patterns; x += sizeof(bits) == 1 ? 1 : 5)
        ASSERT_EQ(ranges.has(bits(x)), order(bits(x)) >= least)
            << "pattern " << x << ", least that of " << bits(i + near);
    }
}

template <class T>
class bit_ranges_of_small : public ::testing::Test {};
using small = ::testing::Types<std::int8_t, std::uint8_t, float16, bfloat16>;
TYPED_TEST_SUITE(bit_ranges_of_small, small);

TYPED_TEST(bit_ranges_of_small, hold_what_ranks_as_high) {
  for (bool smallest : {false, true})
    for (bool skips : {false, true})
      expect_every_pattern_in_its_place<TypeParam>(smallest, skips && floating<TypeParam>);
}

template <class T>
class bit_ranges_of : public ::testing::Test {};
using larger = ::testing::Types<std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                                std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(bit_ranges_of, larger);

TYPED_TEST(bit_ranges_of, hold_what_ranks_as_high) {
  using bits = bits_of<TypeParam>;
  std::mt19937_64 random(1);
  std::vector<bits> all = {0, 1, bits(~bits(0)), bits(bits(1) << (8 * sizeof(bits) - 1))};
  all.push_back(bits(all[3] - 1)), all.push_back(bits(all[3] + 1));
  if constexpr (floating<TypeParam>)
    for (bits sign : {bits(0), format<TypeParam>::sign})
      for (bits off : {bits(-1), bits(0), bits(1)})
        all.push_back(bits(sign | bits(format<TypeParam>::infinity + off)));
  for (int i = 0; i < 200; ++i) all.push_back(bits(random()));
  for (bool smallest : {false, true})
    for (bool skips : {false, true}) {
      auto const order = rank_order<bits>::of(std::type_identity<TypeParam>{}, smallest,
                                              skips && floating<TypeParam>);
      for (bits const of : all) {
        bits const least = order(of);
        if (order.skips && least == 0) continue;
        auto const ranges = bit_ranges<bits>::at_least(order, least);
        for (bits const x : all) ASSERT_EQ(ranges.has(x), order(x) >= least) << x << ' ' << of;
      }
    }
}

}  // namespace
}  // namespace tally
