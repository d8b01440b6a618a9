// SPDX-License-Identifier: Apache-2.0
//
// Rung 6: one block a row.
//
// Change:   4 rows, each a quarter of the numbers. A warp a row would be 4 warps; a block of 1024
//           threads takes turns along each row, its warps add up by shuffles, and the first warp
//           what they leave in shared memory.
// Predict:  32 times a warp's loads in flight, for two barriers a row. But 4 blocks are on 4 of the
//           chip's multiprocessors: a few hundredths of what memory gives.
// Bytes:    n numbers, 4 sums.
#include "ladder/rows/rows.cuh"

namespace ladder::rows {

template <class T>
__global__ void one_block_a_row(T const* in, matrix m, total_of<T>* out) {
  for (std::size_t row = blockIdx.x; row < m.rows; row += gridDim.x) {
    auto const mine = every_nth(in, m.begin(row) + threadIdx.x, m.end(row), blockDim.x);
    auto const total = block_total(mine);
    if (threadIdx.x == 0) out[row] = total;
  }
}

static registered const here{row_sums(
    {
        .id = "rows/06_one_block_a_row",
        .title = "One block a row, of 4 long ones",
        .bound = "latency: the loads that 4 multiprocessors have in flight",
        .grid = 4,
        .block = 1024,
    },
    of_4_rows, []<class T>(problem const& p, matrix m, T const* in, total_of<T>* out) {
      tally::launch(one_block_a_row<T>, p.grid, whole_warps(p.block), 0, p.stream)(in, m, out);
    })};

}  // namespace ladder::rows
