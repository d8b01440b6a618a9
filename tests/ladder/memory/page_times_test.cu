// SPDX-License-Identifier: Apache-2.0
#include "ladder/memory/page_times.hpp"

#include <gtest/gtest.h>

namespace ladder::memory {
namespace {

TEST(page_times, are_a_table_of_two_clocks) {
  EXPECT_EQ(draw_step_times({{"first", 1234.56, 1230.04}, {"the second", 9, 0.25}}),
            (std::vector<std::string>{"               host us    event us",
                                      "first           1234.6      1230.0",
                                      "the second         9.0         0.2"}));
}

}  // namespace
}  // namespace ladder::memory
