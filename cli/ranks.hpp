// SPDX-License-Identifier: Apache-2.0
//
// Processes that mpirun has started on one command line: ranks. They share out the elements of
// files that can be read from any place on; all else the first does alone, as without the others.
// It alone prints, and its exit status is that of all. What takes `options` below is collective:
// all ranks call it, in the same order, but is_first and ranks_of.
#pragma once

#include <cstdint>
#include <vector>

#include "arguments.hpp"
#include "tally/error.hpp"
#include "tally/nodes/all_gather.hpp"

namespace tally::cli {

// One of how many a launcher says that this process is.
struct launched {
  int rank = 0, size = 1;
};
launched launched_as();

// Runs the command line as one of several; returns the exit status.
int run_as_rank(launched self, int argc, char const* const* argv);

// Whether this process tells the answer, and how many there are that share out its elements.
bool is_first(arguments const& options);
int ranks_of(arguments const& options);

// What all ranks throw at once, so that none need tell the others.
struct failed_together : error {
  using error::error;
};

// What each rank tells, in their order; alone, what this one does. If a rank fails instead, before
// it gets here, all throw.
bytes_of_ranks gather(arguments const& options, std::vector<std::byte> const& mine);
// Tells of the exception that is being handled, and ends this rank at once, where others may wait
// for it without end: the launcher ends those.
[[noreturn]] void end_alone();
// Calls f, which is one call of the library that all ranks make; not if one fails before.
template <class F>
auto on_all_ranks(arguments const& options, F const& f) {
  gather(options, {});
  try {
    return f();
  } catch (error const& e) {
    throw failed_together(e.what());
  } catch (...) {
    if (!options.ranks) throw;
    end_alone();
  }
}
// The sum over all of them.
std::uint64_t sum_of_ranks(arguments const& options, std::uint64_t mine);

}  // namespace tally::cli
