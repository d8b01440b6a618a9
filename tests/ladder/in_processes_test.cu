// SPDX-License-Identifier: Apache-2.0
#include "ladder/in_processes.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <string>

#include "tally/error.hpp"

namespace ladder {
namespace {

// The number as often as its process prints it: the first ones print most, and end last.
void print(std::size_t i) {
  std::string const line(200'000 / (i + 1), char('a' + i));
  std::fputs(line.c_str(), stdout);
}

std::string letters_in_order(std::string const& all) {
  std::string order;
  for (char const c : all)
    if (order.empty() || order.back() != c) order += c;
  return order;
}

TEST(ladder_processes, print_in_the_order_of_their_numbers_however_many_there_are_at_once) {
  for (std::size_t const at_once : {1, 2, 3, 20}) {
    testing::internal::CaptureStdout();
    EXPECT_EQ(in_processes(8, at_once, [](std::size_t i) { return print(i), 0; }), 0);
    auto const all = testing::internal::GetCapturedStdout();
    EXPECT_EQ(letters_in_order(all), "abcdefgh");
    std::size_t whole = 0;
    for (std::size_t i = 0; i < 8; ++i) whole += 200'000 / (i + 1);
    EXPECT_EQ(all.size(), whole);
  }
}

TEST(ladder_processes, go_on_after_one_that_was_not_right) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(in_processes(4, 2, [](std::size_t i) { return print(i), i == 1; }), 1);
  EXPECT_EQ(letters_in_order(testing::internal::GetCapturedStdout()), "abcd");
}

TEST(ladder_processes, say_what_was_thrown_and_begin_no_more) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  EXPECT_EQ(in_processes(26, 2,
                         [](std::size_t i) -> int {
                           if (i == 2) throw tally::error("the third");
                           return print(i), 0;
                         }),
            1);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "tally ladder: the third\n");
  auto const order = letters_in_order(testing::internal::GetCapturedStdout());
  EXPECT_TRUE(order.starts_with("ab") && order.size() < 6) << order;
}

TEST(ladder_processes, say_by_which_signal_one_was_ended) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(in_processes(1, 2, [](std::size_t) { return ::raise(SIGKILL); }), 1);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "tally ladder: Killed\n");
}

TEST(ladder_processes, are_none_where_one_is_to_run_at_a_time) {
  auto const here = ::getpid();
  EXPECT_EQ(in_processes(3, 1, [&](std::size_t) { return ::getpid() != here; }), 0);
  EXPECT_EQ(in_processes(3, 2, [&](std::size_t) { return ::getpid() == here; }), 0);
}

}  // namespace
}  // namespace ladder
