// SPDX-License-Identifier: Apache-2.0
//
// Rung 2: one thread a column.
//
// Change:   the same matrix and as many threads, but each walks down a column: column sums.
// Predict:  here a thread a sum is right. At each step the lanes of a warp read neighbours of one
//           row, 4 sectors a load, all of their bytes used; no lane needs another's numbers, so
//           that nothing is left to be put together. An eighth of rung 1's sectors for the same
//           additions. The threads are as few as they were.
// Bytes:    n numbers, a sum a column.
#include "ladder/rows/rows.cuh"

namespace ladder::rows {

template <class T>
__global__ void one_thread_a_column(T const* in, matrix m, total_of<T>* out) {
  sum<T> const add;
  for (std::size_t column = thread_of_grid(); column < m.width; column += threads_of_grid()) {
    total_of<T> total = 0;
    for (std::size_t i = column; i < m.n; i += m.width) total = add(total, in[i]);
    out[column] = total;
  }
}

static registered const here{column_sums(
    {
        .id = "rows/02_one_thread_a_column",
        .title = "One thread a column, of the same matrix",
        .bound = "latency: few threads, one load of each in flight",
        .grid = 512,
        .block = 32,
    },
    square, []<class T>(problem const& p, matrix m, T const* in, total_of<T>* out) {
      tally::launch(one_thread_a_column<T>, p.grid, p.block, 0, p.stream)(in, m, out);
    })};

}  // namespace ladder::rows
