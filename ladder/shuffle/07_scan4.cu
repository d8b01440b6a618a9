// SPDX-License-Identifier: Apache-2.0
//
// Rung 7: scan4, three shuffles of the same values.
//
// Two blocks of 8 threads, lane i holding 8 - i, shuffle down by 4, 2 and 1. The value is never
// updated, so each step shows where a reduction would read, not a sum.
#include "ladder/shuffle/shuffles.cuh"

namespace ladder::shuffle {

__global__ void scan4(step* trace) {
  int const lane = int(threadIdx.x), x = 8 - lane;
  at(trace, 0) = {lane, x, x};
  for (int number = 1, offset = 4; offset > 0; ++number, offset /= 2) {
    at(trace, number) = observe(down{0xff, offset, 8}, x);
    at(trace, number).holds = x;
  }
}

registered const three_shuffles(rung_of({
    .id = "shuffle/07_scan4",
    .title = "Down by 4, 2, 1 of values that stay, in two blocks of 8",
    .page = "scan4<<<2, 8>>>",
    .right = "each step begins from the same values; nothing is added up",
    .scenes = {{
        .what = "value 8 - lane",
        .blocks = 2,
        .lanes = 8,
        .steps = {"down 4", "down 2", "down 1"},
        .run = [](step* trace,
                  cudaStream_t stream) { tally::launch(scan4, 2, 8, 0, stream)(trace); },
        .got = {4, 3, 2, 1, 4, 3, 2, 1, 4, 3, 2, 1, 4, 3, 2, 1,  //
                6, 5, 4, 3, 2, 1, 2, 1, 6, 5, 4, 3, 2, 1, 2, 1,  //
                7, 6, 5, 4, 3, 2, 1, 1, 7, 6, 5, 4, 3, 2, 1, 1},
    }},
}));

}  // namespace ladder::shuffle
