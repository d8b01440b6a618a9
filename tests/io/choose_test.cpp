// SPDX-License-Identifier: Apache-2.0
#include "io/formats.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "support/failure_of.hpp"

namespace tally::io::test {
namespace {

using names = std::vector<std::string>;

// What is said instead of a choice, of columns and of arrays alike.
std::string refused(names const& all, std::optional<std::string> const& wanted,
                    std::string const& hint = {}) {
  auto const of = [&](std::string const& kind) {
    return support::failure_of([&] { choose("f", kind, all, wanted, hint); });
  };
  auto text = of("column");
  EXPECT_TRUE(text.starts_with("f: ")) << text;
  std::string arrays = of("array");
  for (std::size_t at; (at = arrays.find("array")) != arrays.npos;) arrays.replace(at, 5, "column");
  EXPECT_EQ(arrays, text);
  return text.substr(text.find(' ') + 1);
}

TEST(choose, takes_a_name_or_a_number_and_the_only_one_unasked) {
  names const all{"x", "2", "y", "7"};
  EXPECT_EQ(choose("f", "column", all, "y"), 2u);
  EXPECT_EQ(choose("f", "column", all, "2"), 1u);
  EXPECT_EQ(choose("f", "column", all, "3"), 2u);
  EXPECT_EQ(choose("f", "column", all, "7"), 3u);
  EXPECT_EQ(choose("f", "column", all, "1"), 0u);
  EXPECT_EQ(choose("f", "array", names{"x"}, std::nullopt), 0u);
}

TEST(choose, refuses_what_is_not_there_or_there_twice) {
  EXPECT_EQ(refused({"a", "b"}, std::nullopt),
            "which column? --column takes one of 'a', 'b', or its number from 1");
  EXPECT_EQ(refused({"a", "b", "a"}, "a"), "two columns are named 'a'; give a number from 1");
  EXPECT_EQ(refused({"a", "b"}, "3"), "no column '3' among 'a', 'b'");
  EXPECT_EQ(refused({"a", "b"}, "0"), "no column '0' among 'a', 'b'; columns are counted from 1");
  EXPECT_EQ(refused({"a;b"}, "b", "; a hint"), "no column 'b' among 'a;b'; a hint");
}

TEST(choose, a_name_that_is_the_number_of_another_has_to_be_in_quotes) {
  EXPECT_EQ(
      refused({"x", "2", "1"}, "1"),
      "'1' is the name of column 3 and the number of 'x'; --column '\"1\"' or 'x' says which");
  EXPECT_EQ(choose("f", "column", names{"x", "2", "1"}, "\"1\""), 2u);
  EXPECT_EQ(refused({"2", "1"}, "2"),
            "'2' is the name of column 1 and the number of '1'; --column '\"2\"' or '\"1\"' says "
            "which");
  EXPECT_EQ(choose("f", "column", names{"2", "1"}, "\"1\""), 1u);
  // A name has its quotes if it has any.
  EXPECT_EQ(choose("f", "column", names{"\"a\"", "a"}, "\"a\""), 0u);
  EXPECT_EQ(refused({"a", "b"}, "\"1\""), "no column '\"1\"' among 'a', 'b'");
}

TEST(choose, lists_thirty_names_at_most) {
  names all;
  for (int i = 0; i < 30; ++i) all.push_back("c" + std::to_string(i));
  EXPECT_TRUE(refused(all, "x").ends_with("'c28', 'c29'"));
  all.push_back("c30");
  EXPECT_TRUE(refused(all, "x").ends_with("'c28', 'c29', ..."));
}

}  // namespace
}  // namespace tally::io::test
