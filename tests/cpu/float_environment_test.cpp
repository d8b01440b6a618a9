// SPDX-License-Identifier: Apache-2.0
#include "tally/cpu/float_environment.hpp"

#include <gtest/gtest.h>

#include <cfenv>
#include <vector>

#include "tally/tally.hpp"

namespace {

using namespace tally;

// What arithmetic does, which fegetround() does not say: it asks another unit.
bool rounds_up() {
  double const volatile one = 1, little = 0x1p-60;
  return one + little > 1;
}
bool rounds_below() {
  double const volatile one = 1, little = 0x1p-60;
  return one - little < 1;
}

TEST(float_environment, is_the_callers_again_after_every_call) {
  std::vector<double> const x(200'000, 0.1);
  std::vector<double> out(x.size());
  for (int const threads : {1, 3}) {
    cpu const where{threads};
    std::fesetround(FE_UPWARD);
    double const total = reduce(where, x, sum{});
    bool const up_after_reduce = rounds_up();
    inclusive_scan(where, x, out, sum{});
    bool const up_after_scan = rounds_up();
    std::fesetround(FE_DOWNWARD);
    auto const best = top_k(where, x, 5);
    bool const below_after_top_k = rounds_below();
    std::fesetround(FE_TONEAREST);
    EXPECT_TRUE(up_after_reduce);
    EXPECT_TRUE(up_after_scan);
    EXPECT_TRUE(below_after_top_k);
    EXPECT_EQ(total, reduce(where, x, sum{}));
    EXPECT_EQ(total, out.back());
    EXPECT_EQ(best.indices[4], 4);
  }
}

}  // namespace
