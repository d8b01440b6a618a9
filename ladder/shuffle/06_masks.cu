// SPDX-License-Identifier: Apache-2.0
//
// Rung 6: masks, which say who takes part.
//
// Bit i is lane i. Every lane of the mask must make the same call, no other lane may, and nobody
// may read from a lane outside it. The mask waits for its lanes; it orders no memory.
#include "ladder/shuffle/shuffles.cuh"

namespace ladder::shuffle {

registered const masks(rung_of({
    .id = "shuffle/06_masks",
    .title = "Mask 0x0f is lanes 0 to 3; the others do not call",
    .page = "mask 0x0f",
    .says = "0x0f is for the last four lanes, and lanes that it leaves out get their own value",
    .right = "0x0f is lanes 0 to 3; to call with one's own bit clear is undefined",
    .scenes = {{
                   .what = "mask 0x0f, down by 1, width 4",
                   .lanes = 8,
                   .steps = {"down 1"},
                   .run =
                       [](step* trace, cudaStream_t stream) {
                         tally::launch(shuffle_once<down>, 1, 8, 0, stream)({0x0f, 1, 4}, trace);
                       },
                   .got = {101, 102, 103, 103, 104, 105, 106, 107},
               },
               {
                   .what = "mask 0xf0, down by 1, width 4",
                   .lanes = 8,
                   .steps = {"down 1"},
                   .run =
                       [](step* trace, cudaStream_t stream) {
                         tally::launch(shuffle_once<down>, 1, 8, 0, stream)({0xf0, 1, 4}, trace);
                       },
                   .got = {100, 101, 102, 103, 105, 106, 107, 107},
               }},
}));

}  // namespace ladder::shuffle
