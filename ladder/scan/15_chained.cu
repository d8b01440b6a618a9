// SPDX-License-Identifier: Apache-2.0
//
// Rung 15: a chain (Yan, Long and Zhang's StreamScan, 2013).
//
// Change:   one launch, which reads each element once: each tile waits for what its left neighbour
//           has come to, takes in its own total, and hands that on. Blocks draw the tiles in order,
//           so that whoever waits waits for a block that runs.
// Predict:  2 n moved. But the tiles' carries are one chain: each waits for one store and one load
//           through the L2 cache, about a microsecond a tile, while memory moves a
//           tile in a few nanoseconds. At 4,194,304 elements 1490 tiles: a millisecond or
//           more, far slower than rung 14's second read.
// Measured: on an H200 1,256 us: 0.84 us a tile. At 2^28 elements 81 ms.
// Bytes:    n elements read, n results written; a status and a state a tile, written and read.
#include "ladder/scan/single_pass.cuh"

namespace ladder::scan {

struct wait_for_neighbour {
  template <class Op>
  __device__ typename Op::state operator()(unsigned number, typename Op::state const& of_tile,
                                           tile_states<typename Op::state> const& states,
                                           Op op) const {
    auto before = op.identity();
    if (threadIdx.x != 0) return before;
    unsigned found;
    if (number > 0) before = states.await(number - 1, has_prefix, found);
    states.publish(number, op(before, of_tile), has_prefix);
    return before;
  }
};

static registered const here{single_pass_rung(
    {
        .id = "scan/15_chained",
        .title = "One pass: each tile waits for its left neighbour",
        .bound = "a chain through all tiles",
    },
    wait_for_neighbour{})};

}  // namespace ladder::scan
