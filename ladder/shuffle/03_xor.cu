// SPDX-License-Identifier: Apache-2.0
//
// Rung 3: xor, the one that swaps.
//
// Lane i gets the value of lane i ^ by: pairs exchange. Where by reaches beyond the width, a lane
// may read from a group below its own, never from one above: there it gets its own value.
#include "ladder/shuffle/shuffles.cuh"

namespace ladder::shuffle {

registered const xor_by_1_and_4(rung_of({
    .id = "shuffle/03_xor",
    .title = "Xor by 1, and by 4 beyond the width",
    .page = "__shfl_xor",
    .says = "__shfl_xor without _sync, which no compiler for today's GPUs has",
    .right =
        "__shfl_xor_sync: pairs exchange; beyond the width, lower groups can be read, higher not",
    .scenes = {{
                   .what = "xor 1, width 8",
                   .lanes = 8,
                   .steps = {"xor 1"},
                   .run =
                       [](step* trace, cudaStream_t stream) {
                         tally::launch(shuffle_once<exchange>, 1, 8, 0, stream)({0xff, 1, 8},
                                                                                trace);
                       },
                   .got = {101, 100, 103, 102, 105, 104, 107, 106},
               },
               {
                   .what = "xor 4, width 4",
                   .lanes = 8,
                   .steps = {"xor 4"},
                   .run =
                       [](step* trace, cudaStream_t stream) {
                         tally::launch(shuffle_once<exchange>, 1, 8, 0, stream)({0xff, 4, 4},
                                                                                trace);
                       },
                   .got = {100, 101, 102, 103, 100, 101, 102, 103},
               }},
}));

}  // namespace ladder::shuffle
