// SPDX-License-Identifier: Apache-2.0
//
// Rung 13: the prefix sums of a warp.
//
// Change:   shuffles up by 1, 2, 4, 8, 16, as many as rungs 11 and 12 have; a lane adds only what
//           comes from another lane: 129 additions for 32 elements, not 160. Every lane keeps its
//           own result.
// Predict:  as fast as memory, so as rung 12: as many bytes.
// Measured: on an H200 18.1 us, 0.70 of what reading as many bytes as are read and written takes.
// Bytes:    4 n read, n sums written.
#include "ladder/operators.cuh"
#include "ladder/shuffle/rows.hpp"
#include "tally/cuda/launch.cuh"

namespace ladder::shuffle {

template <class T>
__global__ void row_prefix_sums(T const* in, std::size_t n, typename sum<T>::state* out) {
  std::size_t const i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  sum<T> const add;
  auto x = i < n ? typename sum<T>::state(in[i]) : sum<T>::identity();
  for (unsigned offset = 1; offset < 32; offset *= 2) {
    auto const left = __shfl_up_sync(0xffffffffu, x, offset);
    if (i % 32 >= offset) x = add(left, x);
  }
  if (i < n) out[i] = x;
}

template <class T>
void enqueue_row_prefix_sums(problem const& p) {
  tally::launch(row_prefix_sums<T>, blocks_for(p.n), threads_a_block, 0, p.stream)(
      static_cast<T const*>(p.in), p.n, static_cast<typename sum<T>::state*>(p.out));
}

registered const prefix_sum(rung_of({
    .id = "shuffle/13_prefix_sum",
    .title = "Prefix sums of every 32 elements: up by 1, 2, 4, 8, 16",
    .page = "warp_prefix_sum",
    .gives = row_rung::prefix_sums,
    .of_int32 = enqueue_row_prefix_sums<int>,
    .of_float32 = enqueue_row_prefix_sums<float>,
}));

}  // namespace ladder::shuffle
