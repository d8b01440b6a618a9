// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

// Which lane runs when, written down: a run can be repeated, and one that goes wrong be searched
// for.
namespace simt {

// Something that a lane's n-th decision brought about. Without choices a lane runs until it waits
// or polls in vain, then the one behind it; writes come late, and loads find old values, only by
// choice, and what is late comes as late as it may.
struct choice {
  enum kind { run, late, old };
  unsigned launch = 0;                // how many were before it
  std::uint32_t block = 0, lane = 0;  // linear numbers
  unsigned decision = 0;
  kind what = run;
  std::uint32_t next_block = 0, next_lane = 0;  // to run
  bool operator==(choice const&) const = default;
};

struct schedule {
  std::string test;              // what to run: a program's own matter
  std::uint64_t seed = 1;        // of the blocks' order
  unsigned resident_blocks = 4;  // as long as the program does not say how many
  std::vector<choice> choices;
  bool operator==(schedule const&) const = default;
};
std::string to_text(schedule const&);
schedule schedule_of(std::string const& text);  // throws std::invalid_argument

void follow(schedule);                                          // in the launches that come
void improvise(schedule, std::uint64_t seed, unsigned one_in);  // likewise, and choose at random
schedule end_schedule();  // what was followed or improvised; launches are again as settings say

// A schedule by which attempt() fails, with as few choices as were found to do; empty failure:
// there was none. Each attempt is made in a process of its own, and says in a line what went wrong,
// if anything did.
struct search_result {
  schedule how;
  std::string failure;
  unsigned attempts = 0;
};
search_result search(std::function<std::string()> const& attempt, std::string const& test = {},
                     unsigned most_attempts = 1000);

}  // namespace simt
