// SPDX-License-Identifier: Apache-2.0
//
// Rung 3: Kogge and Stone's scan of one block (1973).
//
// Change:   a thread an element: in step i it takes in what the thread 2^i to its left has, in
//           place, so that all must have read before any writes: two barriers a step.
// Predict:  log2 n steps instead of n; n log2 n - (n - 1) applications: 9217 for 1024, nine times
//           what one thread needs. A place gives itself to one other a step. No bank conflicts:
//           neighbours take from neighbours.
// Measured: on an H200 2.9 us for 1024 elements, of which an empty kernel takes 0.8.
// Bytes:    n elements read, n results written.
//
// A block is all there is: 1024 elements on today's GPUs. More would need a carry between blocks,
// which begins at rung 14.
#include "ladder/scan/kogge_stone.cuh"

namespace ladder::scan {

struct kogge_stone : network {
  template <class X>
  __device__ X scan(X x, unsigned n, typename X::state&) const {
    kogge_stone_steps(x, n, in_a_row{});
    return x;
  }
};

static registered const here{network_rung<kogge_stone>(
    {
        .id = "scan/03_kogge_stone",
        .title = "Kogge-Stone: log n steps, n log n applications",
        .bound = "one block, so at most 1024 elements: 10 steps of two barriers",
        .page = "algorithm 1, work-inefficient",
    },
    most_threads)};

}  // namespace ladder::scan
