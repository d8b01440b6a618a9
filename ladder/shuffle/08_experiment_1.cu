// SPDX-License-Identifier: Apache-2.0
//
// Rung 8: four prefix sums in one warp.
//
// Lane i holds 31 - i; three guarded steps of width 8 give the inclusive prefix sums of each group
// of 8. The guard looks at the place in the group.
#include "ladder/shuffle/shuffles.cuh"

namespace ladder::shuffle {

registered const experiment_1(rung_of({
    .id = "shuffle/08_experiment_1",
    .title = "Prefix sums in four groups of 8: up by 1, 2, 4 where the place in the group allows",
    .page = "experiment 1, <<<1, 32>>>",
    .right =
        "after offset d a lane holds the sum of the 2d values up to its own, or of all there are",
    .scenes = {{
        .what = "value 31 - lane, width 8, added where lane % 8 >= offset",
        .lanes = 32,
        .steps = {"up 1", "up 2", "up 4"},
        .run =
            [](step* trace, cudaStream_t stream) {
              tally::launch(prefix_sums<guard::by_place_in_group>, 1, 32, 0, stream)(
                  0xffffffff, 31, 3, true, trace);
            },
        .holds = {31, 61, 90, 118, 145, 171, 196, 220, 23, 45, 66, 86, 105, 123, 140, 156,
                  15, 29, 42, 54,  65,  75,  84,  92,  7,  13, 18, 22, 25,  27,  28,  28},
    }},
}));

}  // namespace ladder::shuffle
