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

// All ranks make the same call, each with a slice of the array: that of rank 0 has the first
// elements, then come those of rank 1. Slices may have different sizes, and be empty. `where` says
// where each looks at its own: cores, or a gpu. What has a name is kept by reference.
//
//   float total = tally::reduce(tally::distributed{ranks, tally::cpu{}}, slice, tally::sum{});
//
// Reductions, states, scans, top_k, kth_value and quantiles take it; all but scans also rows, of
// each of which every rank has a slice. Indices are those in the whole array. A call returns when
// this rank has the answer, of a scan the results of its slice: on a gpu, too, and where its name
// ends in _into. The bits are those of one call over the whole array, wherever it is cut.
//
// kth_value and quantiles are found by cores: a gpu's slice is copied to the host for them.
//
// What is wrong with a rank's arguments, or fails while it reads its slice, is thrown on all: there
// as it is, elsewhere as a tally::error that names the rank. What fails behind the last exchange is
// thrown on that rank alone: while it scans its slice behind those before it (out of memory, say),
// or writes results. Memory that is exhausted between two exchanges is that rank's alone as well,
// and others may wait for it until its process ends, or it leaves the function of run_ranks.
template <class Where>
struct distributed {
  communicator& ranks;
  Where where;
};
template <class Where>
distributed(communicator&, Where&&) -> distributed<Where>;

}  // namespace tally
