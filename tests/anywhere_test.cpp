// SPDX-License-Identifier: Apache-2.0
#include "tally/anywhere.hpp"

#include <gtest/gtest.h>

#include "support/failure_of.hpp"

namespace {

TEST(Anywhere, is_the_cpu_for_what_lies_in_its_memory) {
  auto where = tally::best();
  std::vector<float> const x{1e30f, 1, -1e30f, 2};
  EXPECT_EQ(tally::reduce(where, x, tally::sum{}), 3);
  EXPECT_EQ(where.ran(), "cpu");
  EXPECT_EQ(tally::reduce(where, x, std::plus<float>{}),
            tally::reduce(tally::cpu{}, x, std::plus<float>{}));
  EXPECT_EQ(where.ran(), "cpu");
}

TEST(Anywhere, has_the_cpus_answers_for_no_elements) {
  auto where = tally::best();
  std::vector<float> const nothing;
  EXPECT_EQ(tally::reduce(where, nothing, tally::sum{}), 0);
  EXPECT_EQ(support::failure_of([&] { tally::reduce(where, nothing, tally::minimum{}); }),
            "minimum: the array is empty");
}

}  // namespace
