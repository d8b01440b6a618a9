// SPDX-License-Identifier: Apache-2.0
#include "tally/io/kept_array.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace tally::io::test {
namespace {

// In memory up to the limit, in a file beyond it: what was in memory before goes there, too.
TEST(kept_array, has_all_that_is_appended_on_both_sides_of_its_limit) {
  for (std::size_t size : {0, 1, 99, 100, 101, 5000}) {
    kept_array kept(100);
    std::string expected;
    for (std::size_t i = 0; expected.size() < size; ++i) {
      std::string const piece(std::min<std::size_t>(i % 40 + 1, size - expected.size()),
                              char('a' + i % 26));
      kept.append(std::as_bytes(std::span(piece)));
      expected += piece;
    }
    auto const found = kept.all();
    EXPECT_TRUE(std::ranges::equal(found, std::as_bytes(std::span(expected)))) << size;
  }
}

TEST(kept_array, takes_more_than_its_limit_at_once) {
  std::string const all(1000, 'x');
  kept_array kept(0);
  kept.append(std::as_bytes(std::span(all)));
  EXPECT_TRUE(std::ranges::equal(kept.all(), std::as_bytes(std::span(all))));
}

}  // namespace
}  // namespace tally::io::test
