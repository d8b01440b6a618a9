// SPDX-License-Identifier: Apache-2.0
#include "tally/io/table.hpp"

#include <gtest/gtest.h>

#include "files.hpp"

namespace tally::io::test {
namespace {

struct column {
  std::vector<dtype> types;
  std::uint64_t count = 0;
  bool numbers = true;
};

std::vector<column> all_of(table& in) {
  std::vector<column> all(in.names().size());
  while (in.next())
    for (std::size_t i = 0; i < all.size(); ++i) {
      auto const run = in.column(i);
      all[i].numbers = run.has_value();
      if (!run) continue;
      all[i].types.push_back(run->type);
      all[i].count += run->elements.size() / size_of(run->type);
    }
  return all;
}

TEST(table, has_every_column_of_numbers) {
  folder const in;
  table t(in.write("a.csv", "id,name,x,y\n1,a,0.5,\n2,b,1,NA\n"), {});
  EXPECT_EQ(t.names(), (std::vector<std::string>{"id", "name", "x", "y"}));
  auto const found = all_of(t);
  EXPECT_EQ(found[0].types, std::vector{dtype::int64});
  EXPECT_FALSE(found[1].numbers);
  EXPECT_EQ(found[2].types, std::vector{dtype::float64});
  EXPECT_EQ(found[3].count, 2u);
  EXPECT_EQ(t.facts(3).missing, 2u);
  EXPECT_EQ(t.rows(), 2u);
}

TEST(table, a_column_that_holds_text_late_is_out_then) {
  folder const in;
  std::string text = "a,b\n";
  for (int i = 0; i < 600000; ++i) text += "1,2\n";
  table t(in.write("a.csv", text + "x,3\n"), {});
  auto const found = all_of(t);
  EXPECT_FALSE(found[0].numbers);
  EXPECT_GT(found[0].count, 0u);
  EXPECT_EQ(found[1].count, 600001u);
  EXPECT_EQ(t.bytes_read(), t.file_bytes());
  EXPECT_FALSE(t.misfit_of(1));
  ASSERT_TRUE(t.misfit_of(0));
  EXPECT_EQ(t.misfit_of(0)->line, 600002u);
  EXPECT_EQ(t.misfit_of(0)->text, "'x'");
}

TEST(table, says_which_field_of_a_column_is_no_number_first) {
  folder const in;
  std::string text = "\n\na,b,c,d,e\r\n";
  for (int i = 0; i < 400000; ++i) text += "1,\"\n\",3,4,5\n";  // lines end in quotes, too
  text += "1,2,\"y\x01\n\",4,5\n1,2,x,1e,5\n";
  auto const path = in.write("a.csv", text);
  fifo const stream(in, "stream", text);
  for (auto const& name : {path, stream.path()})
    for (int const threads : {1, 3}) {
      if (name == stream.path() && threads == 1) continue;  // it can be read once
      table t(name, {.type = dtype::int64, .delimiter = ',', .where = {.threads = threads}});
      all_of(t);
      EXPECT_FALSE(t.misfit_of(0) || t.misfit_of(4));
      ASSERT_TRUE(t.misfit_of(1) && t.misfit_of(2) && t.misfit_of(3));
      EXPECT_EQ(t.misfit_of(1)->line, 4u);  // of integers, nothing is no number either
      EXPECT_EQ(t.misfit_of(1)->text, "'\\x0a'");
      EXPECT_EQ(t.misfit_of(2)->line, 4u + 2 * 400000);
      EXPECT_EQ(t.misfit_of(2)->text, "'y\\x01\\x0a'");
      EXPECT_EQ(t.misfit_of(3)->line, 4u + 2 * 400000 + 2);
      EXPECT_EQ(t.misfit_of(3)->text, "'1e'");
    }
}

TEST(table, of_one_column_refuses_text) {
  folder const in;
  table t(in.write("a.csv", "a\n1\nx\n"), {});
  EXPECT_EQ(message_of([&] { all_of(t); }),
            in.path("a.csv: line 3: column 'a': 'x' is not a number"));
}

TEST(table, needs_csv) {
  folder const in;
  auto const path = in.write("a.txt", "1 2");
  EXPECT_EQ(message_of([&] { table(path, {}); }), path + ": is not a CSV file");
}

}  // namespace
}  // namespace tally::io::test
