// SPDX-License-Identifier: Apache-2.0
#include "ladder/story.hpp"

#include <gtest/gtest.h>

namespace ladder {
namespace {

TEST(ladder_story, has_what_follows_each_label_to_its_last_line_and_paragraphs_behind_them) {
  auto const s = story_of(R"(// SPDX-License-Identifier: Apache-2.0
//
// Rung 3: a title.
//
// Change:   one thing
//           and no other.
// Predict:  more.
// Measured: less: 3 us.
// Bytes:    n.
// GPU only: a reason
//           or two.
//
// A paragraph
// of two lines.
//
// Another.
#include "x.cuh"
// No part of it.
)");
  EXPECT_EQ(s.title, "a title");
  EXPECT_EQ(s.change, "one thing and no other.");
  EXPECT_EQ(s.predict, "more.");
  EXPECT_EQ(s.measured, "less: 3 us.");
  EXPECT_EQ(s.bytes, "n.");
  EXPECT_EQ(s.gpu_only, "a reason or two.");
  EXPECT_EQ(s.more, (std::vector<std::string>{"A paragraph of two lines.", "Another."}));
}

TEST(ladder_story, of_a_file_that_tells_none_is_empty) {
  EXPECT_EQ(story_of_file("ladder/no_such_rung.cu").change, "");
  EXPECT_EQ(story_of("").change, "");
  EXPECT_EQ(text_of_file("ladder/no_such_rung.cu"), "");
}

TEST(ladder_story, is_told_by_every_file_of_a_rung) {
  EXPECT_GT(all_told().size(), 60u);
  for (auto const& one : all_told()) {
    auto const s = story_of(one.text);
    EXPECT_EQ(s.change.empty(), s.predict.empty()) << one.file;
    EXPECT_FALSE(s.change.empty() && s.more.empty()) << one.file;
    EXPECT_FALSE(s.title.empty()) << one.file;
    EXPECT_NE(one.text.find("namespace ladder::"), one.text.npos) << one.file;
  }
}

}  // namespace
}  // namespace ladder
