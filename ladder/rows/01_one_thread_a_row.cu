// SPDX-License-Identifier: Apache-2.0
//
// Rung 1: one thread a row.
//
// Change:   nothing yet: as many threads as a square matrix has rows, each of which walks along its
//           own, as the cores of a CPU would.
// Predict:  the lanes of a warp are a row apart, so that each load touches 32 sectors for 32
//           numbers. The other 7 of each sector have to wait in a cache for their turn. And 2,048
//           threads are a hundredth of what the chip has room for.
// Bytes:    n numbers, 8 times as many in sectors asked for; a sum a row.
#include "ladder/rows/rows.cuh"

namespace ladder::rows {

template <class T>
__global__ void one_thread_a_row(T const* in, matrix m, total_of<T>* out) {
  sum<T> const add;
  for (std::size_t row = thread_of_grid(); row < m.rows; row += threads_of_grid()) {
    total_of<T> total = 0;
    for (std::size_t i = m.begin(row); i < m.end(row); ++i) total = add(total, in[i]);
    out[row] = total;
  }
}

static registered const here{row_sums(
    {
        .id = "rows/01_one_thread_a_row",
        .title = "One thread a row, of a square matrix",
        .bound = "32 sectors a load, and few threads",
        .grid = 512,
        .block = 32,
    },
    square, []<class T>(problem const& p, matrix m, T const* in, total_of<T>* out) {
      tally::launch(one_thread_a_row<T>, p.grid, p.block, 0, p.stream)(in, m, out);
    })};

}  // namespace ladder::rows
