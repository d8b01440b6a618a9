// SPDX-License-Identifier: Apache-2.0
//
// Rung 5: widths, which cut the warp into groups.
//
// A width is a power of two up to 32. Each group behaves as a warp of its own: nothing crosses its
// border.
#include "ladder/shuffle/shuffles.cuh"

namespace ladder::shuffle {

namespace {

template <int Width>
void down_by_1(step* trace, cudaStream_t stream) {
  tally::launch(shuffle_once<down>, 1, 8, 0, stream)({0xff, 1, Width}, trace);
}

scene of_width(int width, void (*run)(step*, cudaStream_t), std::vector<int> got) {
  return {.what = "down by 1, width " + std::to_string(width),
          .lanes = 8,
          .steps = {"down 1"},
          .run = run,
          .got = std::move(got)};
}

registered const widths(rung_of({
    .id = "shuffle/05_widths",
    .title = "Down by 1 in groups of 1, 2, 4 and 8 lanes",
    .page = "width: groups of 8",
    .right = "the last lane of every group gets its own value",
    .scenes = {of_width(1, down_by_1<1>, {100, 101, 102, 103, 104, 105, 106, 107}),
               of_width(2, down_by_1<2>, {101, 101, 103, 103, 105, 105, 107, 107}),
               of_width(4, down_by_1<4>, {101, 102, 103, 103, 105, 106, 107, 107}),
               of_width(8, down_by_1<8>, {101, 102, 103, 104, 105, 106, 107, 107})},
}));

}  // namespace
}  // namespace ladder::shuffle
