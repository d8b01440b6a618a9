// SPDX-License-Identifier: Apache-2.0
#include "tally/cpu/prefix/fixed_prefix.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tally/scan.hpp"

namespace {

using namespace tally;

// Between two values of T, so that the next bit decides; each step in a tile of its own.
template <class T>
void compare_around_a_tie() {
  double const big = std::ldexp(1, format<T>::precision), tiny = 0x1p-50;
  std::vector<T> x(4 * 512), out(x.size());
  x[0] = T(float(big));
  x[600] = T(1.0f);
  x[1100] = T(float(tiny));
  x[1600] = T(float(-2 * tiny));
  inclusive_scan(cpu{1}, x, out, sum{});
  for (std::size_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(double(out[i]), 1100 <= i && i < 1600 ? big + 2 : big) << i;
}

TEST(fixed_prefix, is_left_for_what_is_finer_than_its_grid) {
  compare_around_a_tie<float>();
  compare_around_a_tie<bfloat16>();
}

TEST(fixed_prefix, is_left_for_what_is_larger_and_found_again) {
  std::vector<float> x(4 * 512), out(x.size());
  x[0] = 1;
  x[600] = 0x1p100f;
  x[1100] = -0x1p100f;
  x[1600] = 0.5f;
  inclusive_scan(cpu{1}, x, out, sum{});
  for (std::size_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(out[i], i < 600 || (1100 <= i && i < 1600) ? 1.0f : i < 1600 ? 0x1p100f : 1.5f) << i;
}

// 2^-100 is below the grid of what follows, and its last unit stands for that. An element that ends
// on this unit would leave nothing that does: the sum is less than a midpoint by a unit, and a bit.
TEST(fixed_prefix, keeps_what_is_below_the_grid_apart_from_elements_on_it) {
  for (float const sign : {1.0f, -1.0f}) {
    std::vector<float> x(1536), out(x.size());
    x[0] = sign * 0x1p-100f;
    float const of_second_tile[] = {0x7p-26f, 1, -1, 0x1p-25f + 0x9p-48f, -0x1p-25f - 0x4p-48f};
    for (int i = 0; i < 5; ++i) x[std::size_t(512 + i)] = sign * of_second_tile[i];
    x[1024] = sign * (0x1p-26f + 0x1p-49f);
    tally::inclusive_scan(tally::cpu{1}, x, out, tally::sum{});
    EXPECT_EQ(out.back(), sign * (0x1p-23f + 0x1p-46f));
  }
}

}  // namespace
