// SPDX-License-Identifier: Apache-2.0
//
// Rung 7: several blocks a row.
//
// Change:   a row is cut into as many shares as there are blocks for it. What these come to is a
//           matrix again, with a row of partial sums for each row, and a second launch of the same
//           kernel adds that up, one block a row: it is rung 6 then.
// Predict:  all multiprocessors read: ten times rung 6 and more, for a second launch of about a
//           microsecond.
// Bytes:    n numbers, a partial sum a block written and read, 4 sums.
#include "ladder/rows/rows.cuh"

namespace ladder::rows {

// Of each row `shares` sums, side by side.
template <class T>
__global__ void several_blocks_a_row(T const* in, matrix m, std::size_t shares, total_of<T>* out) {
  std::size_t const each = (m.width + shares - 1) / shares;
  for (std::size_t i = blockIdx.x; i < m.rows * shares; i += gridDim.x) {
    std::size_t const row = i / shares, begin = m.begin(row) + i % shares * each;
    std::size_t const end = begin + each < m.end(row) ? begin + each : m.end(row);
    auto const total = block_total(every_nth(in, begin + threadIdx.x, end, blockDim.x));
    if (threadIdx.x == 0) out[i] = total;
  }
}

static std::size_t shares_of_a_row(problem const& p) {
  return std::max<std::size_t>(p.grid / std::max<std::size_t>(of_4_rows(p.n).rows, 1), 1);
}

static rung several_blocks() {
  rung r = row_sums(
      {
          .id = "rows/07_several_blocks_a_row",
          .title = "Several blocks a row, of the same 4",
          .bound = "reading, then two launches",
          .grid = 1024,
          .block = 256,
      },
      of_4_rows, []<class T>(problem const& p, matrix m, T const* in, total_of<T>* out) {
        auto const shares = shares_of_a_row(p);
        auto* const partials = static_cast<total_of<T>*>(p.scratch);
        unsigned const block = whole_warps(p.block);
        tally::launch(several_blocks_a_row<T>, p.grid, block, 0, p.stream)(in, m, shares, partials);
        tally::launch(several_blocks_a_row<total_of<T>>, unsigned(m.rows), block, 0, p.stream)(
            partials, {m.rows * shares, shares}, 1, out);
      });
  r.scratch_bytes = [](problem const& p) {
    return of_4_rows(p.n).rows * shares_of_a_row(p) * sizeof(long long);
  };
  return r;
}

static registered const here{several_blocks()};

}  // namespace ladder::rows
