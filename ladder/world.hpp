// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ladder/rung.hpp"

// Where the rungs run: the SIMT machine (ladder/simt/) or a GPU (ladder/gpu/). A program is linked
// with one of the two.
namespace ladder::world {

struct measurement {
  // The machine counts, a GPU does not: one call's "sectors", "barriers", ..., "operator".
  std::vector<std::pair<std::string, std::uint64_t>> counts;
  // A GPU is timed, the machine is not: microseconds a call, and those of just reading `must_move`.
  std::optional<double> cold_us, warm_us, read_us;
};

std::string name();    // "simt" or "gpu"
std::string device();  // throws tally::error if there is none

// Makes grid and block smaller where those of a GPU are too many: on the machine.
void suit(problem& given, rung const& r);
std::vector<problem> sweep(problem const& usual);  // in a range of grids and blocks
std::size_t rungs_at_once();  // on a GPU one, or they would be in one another's times
std::size_t default_n(std::string const& ladder);
std::vector<std::size_t> verified_sizes();
bool takes_long(std::size_t n);  // so that such sizes are verified with a rung's first input only
// Bytes kept behind an output, which nobody may write to: none on the machine, which sees who does.
std::size_t canary_bytes();

// `given` has its memory.
measurement measure(rung const& r, problem const& given);
measurement call_once(rung const& r, problem const& given);  // not timed

// What the machine reported since last asked, a line each; nothing on a GPU.
std::vector<std::string> findings();

}  // namespace ladder::world
