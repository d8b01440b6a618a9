// SPDX-License-Identifier: Apache-2.0
//
// Rung 4: indexed, a value from the lane that is named.
//
// The index counts within the group, modulo the width: one lane of each group is broadcast to all
// of it.
#include "ladder/shuffle/shuffles.cuh"

namespace ladder::shuffle {

registered const broadcast(rung_of({
    .id = "shuffle/04_indexed",
    .title = "Lane 2 of each group to all of it; index 6 of a group of 4 is 2, too",
    .page = "__shfl_sync",
    .right = "the index is taken modulo the width, within the lane's own group",
    .scenes = {{
                   .what = "from 2, width 8",
                   .lanes = 8,
                   .steps = {"index 2"},
                   .run =
                       [](step* trace, cudaStream_t stream) {
                         tally::launch(shuffle_once<indexed>, 1, 8, 0, stream)({0xff, 2, 8}, trace);
                       },
                   .got = {102, 102, 102, 102, 102, 102, 102, 102},
               },
               {
                   .what = "from 6, width 4",
                   .lanes = 8,
                   .steps = {"index 6"},
                   .run =
                       [](step* trace, cudaStream_t stream) {
                         tally::launch(shuffle_once<indexed>, 1, 8, 0, stream)({0xff, 6, 4}, trace);
                       },
                   .got = {102, 102, 102, 102, 106, 106, 106, 106},
               }},
}));

}  // namespace ladder::shuffle
