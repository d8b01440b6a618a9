// SPDX-License-Identifier: Apache-2.0
#include "tally/automatic.hpp"

#include <gtest/gtest.h>

#include "support/failure_of.hpp"
#include "tally/tally.hpp"

namespace {

TEST(Automatic, is_the_cpu_for_what_lies_in_its_memory) {
  auto where = tally::best();
  std::vector<float> const x{1e30f, 1, -1e30f, 2};
  EXPECT_EQ(tally::reduce(where, x, tally::sum{}), 3);
  EXPECT_EQ(where.ran(), "cpu");
  EXPECT_EQ(tally::reduce(where, x, std::plus<float>{}),
            tally::reduce(tally::cpu{}, x, std::plus<float>{}));
  EXPECT_EQ(where.ran(), "cpu");
}

TEST(Automatic, has_the_cpus_answers_for_no_elements) {
  auto where = tally::best();
  std::vector<float> const nothing;
  EXPECT_EQ(tally::reduce(where, nothing, tally::sum{}), 0);
  EXPECT_EQ(support::failure_of([&] { tally::reduce(where, nothing, tally::minimum{}); }),
            "minimum: the array is empty");
}

TEST(automatic, takes_what_the_cpu_takes) {
  auto where = tally::best();
  std::vector<float> const x{3, -4, 2};
  float total = 0;
  tally::reduce_into(where, tally::transform(x, tally::absolute{}), &total, tally::sum{});
  EXPECT_EQ(total, 9);
  std::vector<float> out(3);
  tally::inclusive_scan(where, x, out, tally::sum{});
  EXPECT_EQ(out, (std::vector<float>{3, -1, 1}));
  EXPECT_EQ(tally::top_k(where, x, 1).indices.front(), 0);
  EXPECT_EQ(tally::reduce(tally::best(), x, tally::sum{}), 1);
}

}  // namespace
