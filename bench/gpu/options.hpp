// SPDX-License-Identifier: Apache-2.0
//
// What a GPU benchmark is asked to measure:
//
//   bench-NAME [--quick] [--rows REGEX] [--no-peers] [--groups NAME,...] [--once]
//
// fewer sizes; what the regular expression finds in a row's name, up to how it is measured; nothing
// of others, nor copies. What a program has none of, it passes over.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <regex>
#include <string>

namespace bench {

struct options {
  bool quick = false, peers = true;
  bool once = false;   // each call of the largest size once, for a profiler
  std::string groups;  // of those that a program names; or all
  std::regex rows{""};

  bool wants(std::string const& id) const { return std::regex_search(id, rows); }
  bool wants_group(std::string const& name) const {
    return groups.empty() || ("," + groups + ",").find("," + name + ",") != std::string::npos;
  }
};

inline options asked;

// Sets `asked`; ends the program where there is no such option.
inline void read_options(int argc, char** argv) {
  auto const misused = [&] {
    std::fprintf(stderr, "usage: %s [--quick] [--rows REGEX] [--no-peers] [--groups NAME,...]\n",
                 argv[0]);
    std::exit(2);
  };
  for (int i = 1; i < argc; ++i) {
    std::string const word = argv[i];
    bool const has_value = i + 1 < argc;
    if (word == "--quick")
      asked.quick = true;
    else if (word == "--no-peers")
      asked.peers = false;
    else if (word == "--once")
      asked.once = true;
    else if (word == "--rows" && has_value)
      try {
        asked.rows = argv[++i];
      } catch (std::regex_error const&) {
        misused();
      }
    else if (word == "--groups" && has_value)
      asked.groups = argv[++i];
    else
      misused();
  }
}

}  // namespace bench
