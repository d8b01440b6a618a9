// SPDX-License-Identifier: Apache-2.0
//
// Rung 4: vectors.
//
// Change:   a lane loads 16 bytes at once. A row may begin anywhere: what comes before its first
//           whole vector, and behind its last, is read number by number.
// Predict:  as many sectors, in a quarter of the loads: four times the bytes in flight while a warp
//           waits. Where rows are no multiple of 32 bytes, a load of rung 3 touches 5 sectors
//           instead of 4; one of these touches 17 instead of 16, at most.
// Bytes:    n numbers, a sum a row.
#include "ladder/rows/rows.cuh"

namespace ladder::rows {

template <class T>
struct alignas(16) four {
  T x, y, z, w;
};

// What the lane has of `count` numbers, which the 32 lanes of its warp read by vectors.
template <class T>
__device__ total_of<T> by_vectors(T const* in, std::size_t count, unsigned lane) {
  sum<T> const add;
  std::size_t const past = reinterpret_cast<std::uintptr_t>(in) / sizeof(T) % 4,
                    left = (4 - past) % 4;
  std::size_t const head = left < count ? left : count;
  std::size_t const vectors = (count - head) / 4, tail = head + 4 * vectors;
  auto const* const whole = reinterpret_cast<four<T> const*>(in + head);
  total_of<T> total = lane < head ? in[lane] : T{0};
  for (std::size_t v = lane; v < vectors; v += 32) {
    four<T> const read = whole[v];
    total = add(add(add(add(total, read.x), read.y), read.z), read.w);
  }
  return tail + lane < count ? add(total, in[tail + lane]) : total;
}

template <class T>
__global__ void vectors(T const* in, matrix m, total_of<T>* out) {
  unsigned const lane = threadIdx.x % 32;
  std::size_t const warp = thread_of_grid() / 32, warps = threads_of_grid() / 32;
  for (std::size_t row = warp; row < m.rows; row += warps) {
    auto const begin = m.begin(row);
    auto const total = warp_total(by_vectors(in + begin, m.end(row) - begin, lane));
    if (lane == 0) out[row] = total;
  }
}

static registered const here{row_sums(
    {
        .id = "rows/04_vectors",
        .title = "One warp a row, 16 bytes a lane and load",
        .bound = "reading",
        .grid = 1024,
        .block = 256,
    },
    square, []<class T>(problem const& p, matrix m, T const* in, total_of<T>* out) {
      tally::launch(vectors<T>, p.grid, whole_warps(p.block), 0, p.stream)(in, m, out);
    })};

}  // namespace ladder::rows
