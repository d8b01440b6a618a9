// SPDX-License-Identifier: Apache-2.0
//
// What is taken for text: the characters of UTF-8 as the Unicode standard's table 3-7 has them.
#include <gtest/gtest.h>

#include <string>

#include "../../src/io/formats.hpp"
#include "files.hpp"

namespace tally::io::test {
namespace {

// A character with this first byte, the least that is well-formed; empty if none begins with it.
std::string character(int first) {
  std::string const begin(1, char(first));
  if (first < 0x80) return begin;
  if (first == 0xe0) return begin + "\xa0\x80";
  if (first == 0xf0) return begin + "\x90\x80\x80";
  if (first >= 0xc2 && first <= 0xdf) return begin + "\x80";
  if (first >= 0xe1 && first <= 0xef) return begin + "\x80\x80";
  if (first >= 0xf1 && first <= 0xf4) return begin + "\x80\x80\x80";
  return "";
}

TEST(text, is_what_utf_8_has_without_control_characters) {
  for (int first = 0; first < 256; ++first) {
    auto const one = character(first);
    bool const is_control = (first < ' ' && !(first >= '\t' && first <= '\r')) || first == 0x7f;
    if (!one.empty()) {
      EXPECT_EQ(looks_like_text("1 " + one + " 2"), !is_control) << first;
    }
    if (!one.empty()) continue;
    for (std::size_t rest = 0; rest < 4; ++rest)
      EXPECT_FALSE(looks_like_text("1 " + std::string(1, char(first)) + std::string(rest, '\x80')))
          << first;
  }
}

TEST(text, has_no_character_that_another_byte_cuts_short) {
  for (int const first : {0xc2, 0xdf, 0xe1, 0xef, 0xf1, 0xf4}) {
    auto const one = character(first);
    EXPECT_TRUE(looks_like_text(one + one));
    for (std::size_t i = 1; i < one.size(); ++i) {
      EXPECT_TRUE(looks_like_text(one.substr(0, i))) << "the beginning ends there";
      for (char const other : {'\x7f', '\xc0', 'x'}) {
        auto bad = one + "1";
        bad[i] = other;
        EXPECT_FALSE(looks_like_text(bad)) << first << ' ' << i;
      }
    }
  }
}

TEST(text, with_bytes_of_no_character_is_neither_text_nor_an_array) {
  folder const in;
  for (std::string const bytes : {"1 2 \xc0\x80 3", "1 2 \xc1\xbf 3", "1 2 \xf5\x80\x80\x80 3"}) {
    auto const message = read_error(in.write("a", bytes));
    EXPECT_NE(message.find("is neither text nor a .npy file"), message.npos) << message;
  }
}

}  // namespace
}  // namespace tally::io::test
