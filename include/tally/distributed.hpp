// SPDX-License-Identifier: Apache-2.0
//
// Calls on arrays that ranks share out.
#pragma once

#include "tally/communicator.hpp"
#include "tally/nodes/quantile.hpp"
#include "tally/nodes/reduce.hpp"
#include "tally/nodes/scan.hpp"
#include "tally/nodes/top_k.hpp"
#include "tally/where.hpp"

namespace tally {

// All ranks make the same call, each with a slice of the array: those of rank 0 are its first
// elements, then come those of rank 1. Slices may have different sizes, and be empty. `where` says
// where each looks at its own: cores, or a gpu. Every rank has the answer, the bits of which are
// those of one call over the whole array, wherever it is cut. If one rank's call throws, all do.
//
//   float total = tally::reduce(tally::distributed{ranks, tally::cpu{}}, slice, tally::sum{});
template <class Where>
struct distributed {
  communicator& ranks;
  Where where;
};
template <class Where>
distributed(communicator&, Where&&) -> distributed<Where>;

}  // namespace tally
