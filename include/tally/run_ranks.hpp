// SPDX-License-Identifier: Apache-2.0
//
// Ranks that are threads of this process.
#pragma once

#include <functional>

#include "tally/communicator.hpp"

namespace tally {

// Calls f once on each of `size` threads, at least one, of which the calling thread is rank 0, with
// the rank's communicator, which lives until f returns; waits for all. If one throws, the others'
// calls of their communicators throw a tally::error that names it; then the first exception is
// thrown here. A rank that returns while others still call leaves them waiting.
//
//   std::vector<tally::gpu> gpus = ...;
//   tally::run_ranks(int(gpus.size()), [&](tally::communicator& ranks) {
//     auto const total = tally::reduce(tally::distributed{ranks, gpus[ranks.rank()]},
//                                      slices[ranks.rank()], tally::sum{});
//   });
void run_ranks(int size, std::function<void(communicator&)> const& f);

}  // namespace tally
