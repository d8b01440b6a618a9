// SPDX-License-Identifier: Apache-2.0
//
// Rung 9: a butterfly in the last warp.
//
// Change:   rung 7, but the last 5 steps of the tree are shuffles: lanes hand each other registers,
//           each to the one whose number differs in one bit, so that all come to the total.
// Predict:  5 steps of a warp without shared memory, of the 10 of a tree that takes about a
//           microsecond: nothing to be seen. The page saw no change.
// Measured: on an H200 15.1 us after rung 7's 15.4.
// Bytes:    n elements read, a state a block written and read.
#include "ladder/reduce/single_pass.cuh"
#include "ladder/reduce/unrolled.cuh"

namespace ladder::reduce {

// The total of the x of a block of `block` threads, in all lanes of the first
// warp.
template <unsigned block, class Op>
__device__ typename Op::state butterfly_total(typename Op::state x, typename Op::state* shared,
                                              Op op) {
  unsigned const t = threadIdx.x;
  fold_to_two_warps<block>(x, shared, op);
  if (t < 32) {
    x = shared[t];
    if (block > 32) x = op(x, shared[t + 32]);
#pragma unroll
    for (int bit = 16; bit > 0; bit /= 2) x = op(x, __shfl_xor_sync(~0u, x, bit));
  }
  return x;
}

template <unsigned block, class Op>
__global__ void butterfly(typename Op::element const* in, std::size_t n, workspace<Op> scratch,
                          typename Op::result* out, Op op) {
  auto* const shared = tally::dynamic_shared<typename Op::state>();
  single_pass(in, n, scratch, out, op,
              [&](auto x) { return butterfly_total<block>(x, shared, op); });
}

static registered const here{reduction(
    {
        .id = "reduce/09_butterfly",
        .title = "A butterfly of shuffles in the last warp",
        .bound = "reading, then one chain of atomics",
        .page = "ReduceSharedMemoryByShuffle",
        .grid = 1024,
        .block = 1024,
    },
    [](problem const& p, auto op) {
      using Op = decltype(op);
      with_block_size(p.block, [&]<unsigned block>(std::integral_constant<unsigned, block>) {
        tally::launch(butterfly<block, Op>, p.grid, block, block * sizeof(typename Op::state),
                      p.stream)(static_cast<typename Op::element const*>(p.in), p.n,
                                workspace<Op>(p.scratch), static_cast<typename Op::result*>(p.out),
                                op);
      });
    })};

}  // namespace ladder::reduce
