// SPDX-License-Identifier: Apache-2.0
//
// Rungs 5: some lanes a row.
//
// Change:   rows of 16 numbers, which are too short for a warp: 1, 2, 4, 8, 16 or 32 lanes a row,
//           and so 32, 16, ... 1 rows a warp. With 1 lane it is rung 1, with 32 rung 3, half of
//           whose lanes find nothing.
// Predict:  8 numbers fill a sector, so that fewer than 8 lanes a row ask for sectors again: 8, 4
//           and 2 times. With more than 8 a warp has fewer rows at a time, and so more shuffles and
//           idle lanes: 3 shuffles for 4 rows with 8 lanes, 20 with 32. So 8 lanes are best.
// Bytes:    n numbers, a sum for every 16.
#include <string>
#include <vector>

#include "ladder/rows/rows.cuh"

namespace ladder::rows {

template <unsigned lanes, class T>
__global__ void some_lanes_a_row(T const* in, matrix m, total_of<T>* out) {
  constexpr unsigned rows_a_warp = 32 / lanes;
  unsigned const lane = threadIdx.x % lanes, row_of_warp = threadIdx.x % 32 / lanes;
  std::size_t const warp = thread_of_grid() / 32, warps = threads_of_grid() / 32;
  for (std::size_t first = warp * rows_a_warp; first < m.rows; first += warps * rows_a_warp) {
    std::size_t const row = first + row_of_warp;
    total_of<T> total = 0;  // also of lanes that have no row: all of a warp shuffle
    if (row < m.rows) total = every_nth(in, m.begin(row) + lane, m.end(row), lanes);
    total = warp_total<lanes>(total);
    if (lane == 0 && row < m.rows) out[row] = total;
  }
}

template <unsigned lanes>
rung with_lanes() {
  auto const number = std::to_string(lanes);
  return row_sums(
      {
          .id = "rows/05_some_lanes_a_row_" + std::string(2 - number.size(), '0') + number,
          .file = "ladder/rows/05_some_lanes_a_row.cu",
          .title = number + (lanes > 1 ? " lanes" : " lane") + " a row of 16",
          .bound = lanes < 8 ? std::to_string(32 / lanes) + " sectors a load" : "reading",
          .grid = 1024,
          .block = 256,
      },
      of_16_columns, []<class T>(problem const& p, matrix m, T const* in, total_of<T>* out) {
        tally::launch(some_lanes_a_row<lanes, T>, p.grid, whole_warps(p.block), 0, p.stream)(in, m,
                                                                                             out);
      });
}

static registered const here{std::vector{with_lanes<1>(), with_lanes<2>(), with_lanes<4>(),
                                         with_lanes<8>(), with_lanes<16>(), with_lanes<32>()}};

}  // namespace ladder::rows
