// SPDX-License-Identifier: Apache-2.0
//
// Rung 13: inclusive from exclusive.
//
// Change:   each thread takes in its own element behind rung 12's result.
// Predict:  n more applications, and the element has to be kept until then. Nothing of it shows in
//           the time.
// Measured: on an H200 1.9 us, as rung 12.
// Bytes:    n elements read, n results written.
//
// To move all results one place to the left is not enough: the last place has nobody to its right.
// It needs its element, as here, or the total.
#include "ladder/scan/block_scan.cuh"

namespace ladder::scan {

template <class Op>
__global__ void inclusive_again(typename Op::element const* in, unsigned n,
                                typename Op::result* out, Op op) {
  using state = typename Op::state;
  unsigned const t = threadIdx.x;
  state const x = t < n ? lifted<Op>(in[t]) : op.identity();
  state all;
  state const before = exclusive_in_block(x, all, op);
  if (t < n) out[t] = op.finish(op(before, x));
  if (t == 0) out[n] = op.finish(all);
}

static registered const here{one_block(
    {
        .id = "scan/13_inclusive_from_exclusive",
        .title = "Inclusive again: the own element behind it",
        .bound = "one block, so at most 1024 elements",
    },
    most_threads,
    [](unsigned block, auto op, auto const* in, unsigned n, auto* out, cudaStream_t stream) {
      using Op = decltype(op);
      tally::launch(inclusive_again<Op>, 1, block, 0, stream)(in, n, out, op);
    })};

}  // namespace ladder::scan
