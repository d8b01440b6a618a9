// SPDX-License-Identifier: Apache-2.0
//
// Mistakes of the tutorials, each in a small kernel that the SIMT machine, or a check, must catch.
#pragma once

#include <source_location>
#include <string>
#include <vector>

#include "ladder/exhibits/check.hpp"

namespace ladder::exhibits {

struct exhibit {
  std::string page;      // the tutorial it comes from
  std::string bug;       // what is wrong, in a line
  std::string expected;  // a kind of simt::report, or "wrong value"
  int line = 0;          // where the machine must see it; the check needs none
  void (*run)(check&);   // makes the mistake, and lets the check look at what came out
};

struct shown_exhibit : exhibit {
  std::string id, file;  // by its file's name; the path from the project's root
};
std::vector<shown_exhibit>& exhibits();

// An object of this type in an exhibit's file puts it on show.
struct show {
  explicit show(exhibit const& what, std::source_location at = std::source_location::current());
};

}  // namespace ladder::exhibits
