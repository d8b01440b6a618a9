// SPDX-License-Identifier: Apache-2.0
//
// Rung 9: the prefix sum whose offsets do not double.
//
// With offsets 1, 2, 3, 4 lanes add what they hold already; without the guard the lanes that have
// no source add themselves. With offsets 1, 2, 4 and the guard it is right.
#include "ladder/shuffle/shuffles.cuh"

namespace ladder::shuffle {

namespace {

template <guard Guard, bool Doubling>
void run(step* trace, cudaStream_t stream) {
  tally::launch(prefix_sums<Guard>, 1, 8, 0, stream)(0xff, 8, Doubling ? 3 : 4, Doubling, trace);
}

registered const experiment_2(rung_of({
    .id = "shuffle/09_experiment_2",
    .title = "Offsets 1, 2, 3, 4 with and without a guard; offsets 1, 2, 4",
    .page = "experiment 2, <<<1, 8>>>",
    .says = "i++ between the steps",
    .right = "the offset doubles, and a lane adds only what comes from another lane",
    .scenes = {{
                   .what = "as on the page: offsets 1, 2, 3, 4, added where lane >= offset",
                   .lanes = 8,
                   .steps = {"up 1", "up 2", "up 3", "up 4"},
                   .run = run<guard::by_lane, false>,
                   .holds = {8, 15, 21, 34, 45, 54, 61, 66},
               },
               {
                   .what = "as on the page, without the guard",
                   .lanes = 8,
                   .steps = {"up 1", "up 2", "up 3", "up 4"},
                   .run = run<guard::none, false>,
                   .holds = {128, 120, 116, 116, 116, 107, 98, 90},
               },
               {
                   .what = "right: offsets 1, 2, 4, added where lane >= offset",
                   .lanes = 8,
                   .steps = {"up 1", "up 2", "up 4"},
                   .run = run<guard::by_lane, true>,
                   .holds = {8, 15, 21, 26, 30, 33, 35, 36},
               }},
}));

}  // namespace
}  // namespace ladder::shuffle
