// SPDX-License-Identifier: Apache-2.0
//
// Rung 1: up, a value from a lower lane.
//
// Lane i gets the value of lane i - by. A source below the group's first lane is out of range:
// the lane gets its own value, never 0 or NaN. Nothing is swapped: it all moves one way.
#include "ladder/shuffle/shuffles.cuh"

namespace ladder::shuffle {

registered const up_by_2(rung_of({
    .id = "shuffle/01_up",
    .title = "Up by 2 on four lanes",
    .page = "__shfl_up_sync",
    .says =
        "lanes 0 and 2, 1 and 3 swap; out of range gives 0 or NaN; data comes from the next lane",
    .right = "2 <- 0 and 3 <- 1, from lower lanes; 0 and 1 have no source and get their own value",
    .scenes = {{
        .what = "up by 2, width 4",
        .lanes = 4,
        .steps = {"up 2"},
        .run =
            [](step* trace, cudaStream_t stream) {
              tally::launch(shuffle_once<up>, 1, 4, 0, stream)({0xf, 2, 4}, trace);
            },
        .got = {100, 101, 100, 101},
    }},
}));

}  // namespace ladder::shuffle
