// SPDX-License-Identifier: Apache-2.0
//
// Ranks that are threads of this process.
#pragma once

#include <functional>

#include "tally/communicator.hpp"

namespace tally {

// Calls f once in each of `size` threads, with its communicator, and waits for all of them. If one
// throws, the others' calls of their communicators throw, too; then the first exception is thrown
// here.
//
//   std::vector<tally::gpu> gpus = ...;
//   tally::run_ranks(int(gpus.size()), [&](tally::communicator& ranks) {
//     auto const total = tally::reduce(tally::distributed{ranks, gpus[ranks.rank()]},
//                                      slices[ranks.rank()], tally::sum{});
//   });
void run_ranks(int size, std::function<void(communicator&)> const& f);

}  // namespace tally
