// SPDX-License-Identifier: Apache-2.0
//
// Rung 11: redux, for integers.
//
// Change:   rung 10, but one instruction reduces a warp. It takes 32-bit integers only: a 64-bit
//           total goes through in three pieces of 22 bits, 32 of which add up to 27.
// Predict:  1 or 3 instructions instead of 5 or 10 shuffles; lost in the time of reading.
// Measured: on an H200 13.7 us after rung 10's 14.1, of integers both.
// Bytes:    n elements read, a state a block written and read.
#include "ladder/reduce/single_pass.cuh"

namespace ladder::reduce {

// The total of a warp's x, in every lane.
__device__ int redux_total(minimum<int>, int x) { return __reduce_min_sync(~0u, x); }
__device__ int redux_total(maximum<int>, int x) { return __reduce_max_sync(~0u, x); }
__device__ long long redux_total(sum<int>, long long x) {
  auto const bits = static_cast<unsigned long long>(x);
  unsigned long long total = 0;
#pragma unroll
  for (int low = 0; low < 64; low += 22) {
    unsigned const piece = static_cast<unsigned>(bits >> low) & 0x3fffff;
    total += static_cast<unsigned long long>(__reduce_add_sync(~0u, piece)) << low;
  }
  return static_cast<long long>(total);
}

template <class Op>
__global__ void redux(typename Op::element const* in, std::size_t n, workspace<Op> scratch,
                      typename Op::result* out, Op op) {
  single_pass(in, n, scratch, out, op, [&](auto x) {
    __shared__ typename Op::state of_warp[32];
    unsigned const warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    x = redux_total(op, x);
    if (lane == 0) of_warp[warp] = x;
    __syncthreads();
    return warp ? x : redux_total(op, lane < blockDim.x / 32 ? of_warp[lane] : op.identity());
  });
}

static registered const here{reduction(
    {
        .id = "reduce/11_redux",
        .title = "Redux: one instruction a warp, for integers",
        .bound = "reading",
        .page = "the WarpReduce that has no floats",
        .grid = 1024,
        .block = 1024,
        .elements = {element::int32},
    },
    [](problem const& p, auto op) {
      using Op = decltype(op);
      if constexpr (std::is_integral_v<typename Op::element>) {
        tally::launch(redux<Op>, p.grid, whole_warps(p.block), 0, p.stream)(
            static_cast<int const*>(p.in), p.n, workspace<Op>(p.scratch),
            static_cast<typename Op::result*>(p.out), op);
      }
    })};

}  // namespace ladder::reduce
