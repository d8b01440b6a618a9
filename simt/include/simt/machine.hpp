// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

// What a host program sets and asks of the SIMT machine. A launch runs, and ends, inside the call
// that makes it.
namespace simt {

struct position {
  unsigned x = 0, y = 0, z = 0;
  bool operator==(position const&) const = default;
};

// One finding. The lane was stopped before the bad access happened, and the launch with it.
struct report {
  std::string kind;    // "race", "out of bounds", "uninitialised", "barrier divergence",
                       // "exit before a barrier", "shuffle", "misaligned", "hang", "trap"
  std::string text;    // one line: with what, and with whom
  std::string kernel;  // demangled, without parameters
  position block, lane;
  std::string file;
  int line = 0;
};

struct counts {
  std::uint64_t sectors = 0;         // 32-byte pieces of global memory, summed over warp requests
  std::uint64_t lines = 0;           // 128-byte pieces, likewise
  std::uint64_t bank_conflicts = 0;  // passes over shared memory beyond those a request must take
  std::uint64_t barriers = 0;        // of a block, one for all its lanes
  std::uint64_t warp_barriers = 0;   // of a warp, likewise
  std::uint64_t shuffles = 0;        // one for all lanes of a warp; votes and warp reductions too
  std::uint64_t atomics = 0;         // one a lane
  std::uint64_t bytes_read = 0, bytes_written = 0;  // of global memory, by lanes
  std::uint64_t applications = 0;                   // of the operator

  counts& operator+=(counts const&);
};

struct line_counts {
  std::string file;
  int line = 0;
  counts total;
};

struct kernel_counts {
  std::string kernel;
  position grid, block;
  counts total;
  std::vector<line_counts> by_line;
};

enum class block_order { ascending, descending, shuffled };

std::uint64_t usual_seed();  // 1
void set_usual_seed(std::uint64_t);

struct settings {
  std::uint64_t seed = usual_seed();  // the same one, the same interleaving; 0: no write is late
  unsigned resident_blocks = 4;
  block_order order = block_order::shuffled;  // in which blocks become resident
  unsigned seconds_a_turn = 10;  // of CPU time, before a lane that lets no other run is a hang
};

settings& machine();  // for the launches that follow

std::vector<report> take_reports();        // since last taken, in order
void when_found(void (*)(report const&));  // to be called with each finding as it is made
// One a launch since they were last taken; what comes before they are taken first is not counted.
std::vector<kernel_counts> take_counts();

void count_application();  // called by device code: one application of the operator

}  // namespace simt
