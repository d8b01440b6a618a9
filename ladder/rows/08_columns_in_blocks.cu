// SPDX-License-Identifier: Apache-2.0
//
// Rung 8: columns in blocks.
//
// Change:   64 columns only, so tall that n numbers fill them: a thread a column would be 64
//           threads. A block of 32 x 8 threads has 32 columns of some of the rows, which its 8 rows
//           of threads take in turn; what they have meets in shared memory. What the blocks leave
//           is a matrix again, with a row a part, and a second launch of the same kernel adds it
//           up.
// Predict:  4 sectors a load, as rung 2, but the whole chip reads: bound by that, then by the
// second
//           launch. In shared memory a warp reads 32 neighbours: no bank conflicts. 7 additions a
//           column are too few for a tree.
// Bytes:    n numbers, 64 partial sums a part written and read, 64 sums.
#include "ladder/rows/rows.cuh"

namespace ladder::rows {

// Of each of `parts` parts of the rows a row of column sums.
template <class T>
__global__ void columns_in_blocks(T const* in, matrix m, std::size_t parts, total_of<T>* out) {
  sum<T> const add;
  auto* const shared = tally::dynamic_shared<total_of<T>>();
  std::size_t const tiles = (m.width + 31) / 32, rows = (m.rows + parts - 1) / parts;
  for (std::size_t i = blockIdx.x; i < tiles * parts; i += gridDim.x) {
    std::size_t const column = i % tiles * 32 + threadIdx.x, part = i / tiles;
    std::size_t const below = m.begin((part + 1) * rows), end = below < m.n ? below : m.n;
    total_of<T> total = 0;
    if (column < m.width) {
      auto const first = m.begin(part * rows + threadIdx.y) + column;
      total = every_nth(in, first, end, m.begin(blockDim.y));
    }
    shared[threadIdx.y * 32 + threadIdx.x] = total;
    __syncthreads();
    if (threadIdx.y == 0 && column < m.width) {
      for (unsigned y = 1; y < blockDim.y; ++y) total = add(total, shared[y * 32 + threadIdx.x]);
      out[part * m.width + column] = total;
    }
    __syncthreads();
  }
}

static std::size_t parts_of(problem const& p) { return std::max(p.grid / 2, 1u); }

static rung in_blocks() {
  rung r = column_sums(
      {
          .id = "rows/08_columns_in_blocks",
          .title = "64 tall columns, in blocks of 32 x 8 threads",
          .bound = "reading, then two launches",
          .grid = 1024,
          .block = 256,
      },
      of_64_columns, []<class T>(problem const& p, matrix m, T const* in, total_of<T>* out) {
        auto const parts = parts_of(p);
        auto* const partials = static_cast<total_of<T>*>(p.scratch);
        dim3 const block(32, whole_warps(p.block) / 32);
        std::size_t const bytes = 32 * block.y * sizeof(total_of<T>);
        tally::launch(columns_in_blocks<T>, p.grid, block, bytes, p.stream)(in, m, parts, partials);
        tally::launch(columns_in_blocks<total_of<T>>, 2, block, bytes, p.stream)(
            partials, {parts * m.width, m.width}, 1, out);
      });
  r.scratch_bytes = [](problem const& p) { return 64 * parts_of(p) * sizeof(long long); };
  return r;
}

static registered const here{in_blocks()};

}  // namespace ladder::rows
