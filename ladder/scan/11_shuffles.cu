// SPDX-License-Identifier: Apache-2.0
//
// Rung 11: shuffles.
//
// Change:   rung 3 in registers: each warp scans its 32 elements by 5 shuffles, the first one scans
//           the warps' totals by 5 more, and each thread takes in the total before its warp.
// Predict:  2 barriers instead of 21, and shared memory holds 32 states. 10 to 11 applications in a
//           row, as in rung 3, with nothing between them but shuffles: several times as fast as
//           the networks in shared memory.
// Measured: on an H200 1.9 us for 1024 elements after rung 3's 2.9, 1.5 times as fast. An empty
//           kernel takes 0.8 of it.
// Bytes:    n elements read, n results written.
#include "ladder/scan/block_scan.cuh"

namespace ladder::scan {

template <class Op>
__global__ void shuffled(typename Op::element const* in, unsigned n, typename Op::result* out,
                         Op op) {
  using state = typename Op::state;
  __shared__ state of_warps[32];
  unsigned const t = threadIdx.x;
  state const x = inclusive_in_block(t < n ? lifted<Op>(in[t]) : op.identity(), of_warps, op);
  if (t < n) out[t] = op.finish(x);
  if (t == blockDim.x - 1) out[n] = op.finish(x);
}

static registered const here{one_block(
    {
        .id = "scan/11_shuffles",
        .title = "Shuffles in each warp, then over the warps",
        .bound = "one block, so at most 1024 elements: 11 applications in a row",
    },
    most_threads,
    [](unsigned block, auto op, auto const* in, unsigned n, auto* out, cudaStream_t stream) {
      using Op = decltype(op);
      tally::launch(shuffled<Op>, 1, block, 0, stream)(in, n, out, op);
    })};

}  // namespace ladder::scan
