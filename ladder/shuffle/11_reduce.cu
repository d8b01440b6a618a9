// SPDX-License-Identifier: Apache-2.0
//
// Rung 11: the sum of a warp, in its first lane.
//
// Change:   a shuffle for each exchange: 5 of them, down by 16, 8, 4, 2, 1, instead of rung 10's 10
//           accesses to shared memory and 10 barriers of a warp. Each lane adds what it gets.
// Predict:  a step takes about half as long, as a shuffle takes about as long as one access to
//           shared memory. But rung 10's steps are hidden behind memory, too, so the time stays:
//           4 bytes are read for every 5 shuffles / 32.
// Measured: on an H200 13.9 us after 16.8, and at 2^28 800 after 987: the exchange does show. 2.4
//           times as long as only reading as many bytes: we take it that 4 bytes a thread, at most
//           8 KB an SM, are too few in flight.
// Bytes:    4 n read, a 32nd as many sums written.
//
// Every lane calls with the full mask, also where the array ends: there it brings the identity.
#include "ladder/operators.cuh"
#include "ladder/shuffle/rows.hpp"
#include "tally/cuda/launch.cuh"

namespace ladder::shuffle {

// In lane 0 the sum of all; the others have added their own values where no lane was above.
template <class T, class Add>
__device__ T sum_in_first_lane(T x, Add add) {
  for (int by = 16; by > 0; by /= 2) x = add(x, __shfl_down_sync(0xffffffffu, x, by));
  return x;
}

template <class T>
__global__ void row_sums(T const* in, std::size_t n, typename sum<T>::state* out) {
  std::size_t const i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  auto const x = i < n ? typename sum<T>::state(in[i]) : sum<T>::identity();
  auto const total = sum_in_first_lane(x, sum<T>{});
  if (i < n && i % 32 == 0) out[i / 32] = total;
}

template <class T>
void enqueue_row_sums(problem const& p) {
  tally::launch(row_sums<T>, blocks_for(p.n), threads_a_block, 0, p.stream)(
      static_cast<T const*>(p.in), p.n, static_cast<typename sum<T>::state*>(p.out));
}

registered const reduce(rung_of({
    .id = "shuffle/11_reduce",
    .title = "Every 32 elements to their sum: down by 16, 8, 4, 2, 1",
    .page = "WarpReduceSum",
    .gives = row_rung::total,
    .of_int32 = enqueue_row_sums<int>,
    .of_float32 = enqueue_row_sums<float>,
}));

}  // namespace ladder::shuffle
