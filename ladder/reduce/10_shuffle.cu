// SPDX-License-Identifier: Apache-2.0
//
// Rung 10: shuffles only.
//
// Change:   no tree: 5 shuffles in every warp, then 5 in the first warp over the warps' totals.
//           Shared memory holds 32 states.
// Predict:  1 block barrier instead of 5 and less shared memory, in a part that is already short:
//           at most a microsecond.
// Measured: on an H200 13.9 us after rung 7's 15.4: the part is longer than that, as in rung 6.
// Bytes:    n elements read, a state a block written and read.
#include "ladder/reduce/single_pass.cuh"

namespace ladder::reduce {

// The total of a warp's x, in lane 0 only.
template <class Op>
__device__ typename Op::state shuffled_total(typename Op::state x, Op op) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    x = op(x, __shfl_down_sync(~0u, x, distance));
  }
  return x;
}

template <class Op>
__global__ void shuffled(typename Op::element const* in, std::size_t n, workspace<Op> scratch,
                         typename Op::result* out, Op op) {
  single_pass(in, n, scratch, out, op, [&](auto x) {
    __shared__ typename Op::state of_warp[32];
    unsigned const warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    x = shuffled_total(x, op);
    if (lane == 0) of_warp[warp] = x;
    __syncthreads();
    if (warp == 0) x = shuffled_total(lane < blockDim.x / 32 ? of_warp[lane] : op.identity(), op);
    return x;
  });
}

static registered const here{reduction(
    {
        .id = "reduce/10_shuffle",
        .title = "Shuffles in every warp instead of the tree",
        .bound = "reading",
        .grid = 1024,
        .block = 1024,
    },
    [](problem const& p, auto op) {
      using Op = decltype(op);
      tally::launch(shuffled<Op>, p.grid, whole_warps(p.block), 0, p.stream)(
          static_cast<typename Op::element const*>(p.in), p.n, workspace<Op>(p.scratch),
          static_cast<typename Op::result*>(p.out), op);
    })};

}  // namespace ladder::reduce
