// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "ladder/rung.hpp"

namespace ladder {

// What the user asked for; what is not there, each rung chooses.
struct request {
  std::string ladder;  // empty: all
  std::optional<std::string> rung;
  std::optional<std::size_t> n;
  std::optional<element> type;
  std::optional<operation> op;
  std::optional<unsigned> grid, block;
  std::optional<std::size_t> k;
  bool distinct = false;  // rungs that take it only
  bool repeats = false;   // not distinct, though a rung takes it
  bool sweep = false;
  bool this_size = false;
  bool only_able = false;  // only rungs that can do n
  bool verify_only = false;
  bool once = false;
};

std::map<std::string, element> element_names();
std::map<std::string, operation> operation_names();

// These print, also of rungs that only another program can run (elsewhere.hpp), and return the exit status: 1 if a rung was not verified.
int list(request const& asked);
int run(request const& asked);

}  // namespace ladder
