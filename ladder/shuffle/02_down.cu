// SPDX-License-Identifier: Apache-2.0
//
// Rung 2: down, a value from a higher lane.
//
// Lane i gets the value of lane i + by; beyond the group's last lane, its own.
#include "ladder/shuffle/shuffles.cuh"

namespace ladder::shuffle {

registered const down_by_3(rung_of({
    .id = "shuffle/02_down",
    .title = "Down by 3 on eight lanes",
    .page = "__shfl_down_sync",
    .right = "lane i gets the value of lane i + 3; the last three have no source and get their own",
    .scenes = {{
        .what = "down by 3, width 8",
        .lanes = 8,
        .steps = {"down 3"},
        .run =
            [](step* trace, cudaStream_t stream) {
              tally::launch(shuffle_once<down>, 1, 8, 0, stream)({0xff, 3, 8}, trace);
            },
        .got = {103, 104, 105, 106, 107, 105, 106, 107},
    }},
}));

}  // namespace ladder::shuffle
