// SPDX-License-Identifier: Apache-2.0
//
// Rung 3: one warp a row.
//
// Change:   rows again. The lanes of a warp take turns along one row, and then hand each other what
//           they have: 5 shuffles a row.
// Predict:  4 sectors a load, as down the columns, and 32 times the threads of rung 1. The shuffles
//           are few beside 64 loads a lane.
// Bytes:    n numbers, a sum a row.
#include "ladder/rows/rows.cuh"

namespace ladder::rows {

template <class T>
__global__ void one_warp_a_row(T const* in, matrix m, total_of<T>* out) {
  unsigned const lane = threadIdx.x % 32;
  std::size_t const warp = thread_of_grid() / 32, warps = threads_of_grid() / 32;
  for (std::size_t row = warp; row < m.rows; row += warps) {
    auto const total = warp_total(every_nth(in, m.begin(row) + lane, m.end(row), 32));
    if (lane == 0) out[row] = total;
  }
}

static registered const here{row_sums(
    {
        .id = "rows/03_one_warp_a_row",
        .title = "One warp a row",
        .bound = "reading: loads of 4 bytes a lane",
        .grid = 1024,
        .block = 256,
    },
    square, []<class T>(problem const& p, matrix m, T const* in, total_of<T>* out) {
      tally::launch(one_warp_a_row<T>, p.grid, whole_warps(p.block), 0, p.stream)(in, m, out);
    })};

}  // namespace ladder::rows
