// SPDX-License-Identifier: Apache-2.0
//
// Rung 12: the sum of a warp, in all its lanes.
//
// Change:   shuffles by xor, a butterfly: after five of them, as many as rung 11 has, every lane
//           has added all 32 values, and keeps the sum.
// Predict:  as fast as memory, of which it needs more: rung 11 writes a sum for 32 elements. A
//           broadcast of rung 11's sum would be a sixth shuffle.
// Measured: on an H200 17.3 us, 0.73 of what reading as many bytes as are read and written takes.
// Bytes:    4 n read, n sums written.
//
// For floats every lane has the same bits: the two of a pair add the same two numbers.
#include "ladder/operators.cuh"
#include "ladder/shuffle/rows.hpp"
#include "tally/cuda/launch.cuh"

namespace ladder::shuffle {

template <class T, class Add>
__device__ T sum_in_all_lanes(T x, Add add) {
  for (int by = 16; by > 0; by /= 2) x = add(x, __shfl_xor_sync(0xffffffffu, x, by));
  return x;
}

template <class T>
__global__ void row_sums_everywhere(T const* in, std::size_t n, typename sum<T>::state* out) {
  std::size_t const i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  auto const x = i < n ? typename sum<T>::state(in[i]) : sum<T>::identity();
  auto const total = sum_in_all_lanes(x, sum<T>{});
  if (i < n) out[i] = total;
}

template <class T>
void enqueue_row_sums_everywhere(problem const& p) {
  tally::launch(row_sums_everywhere<T>, blocks_for(p.n), threads_a_block, 0, p.stream)(
      static_cast<T const*>(p.in), p.n, static_cast<typename sum<T>::state*>(p.out));
}

registered const all_reduce(rung_of({
    .id = "shuffle/12_all_reduce",
    .title = "Every element becomes the sum of its 32: xor 16, 8, 4, 2, 1",
    .page = "warpAllReduceSum",
    .gives = row_rung::total_everywhere,
    .of_int32 = enqueue_row_sums_everywhere<int>,
    .of_float32 = enqueue_row_sums_everywhere<float>,
}));

}  // namespace ladder::shuffle
