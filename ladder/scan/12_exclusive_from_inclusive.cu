// SPDX-License-Identifier: Apache-2.0
//
// Rung 12: exclusive from inclusive.
//
// Change:   each thread takes what the thread before it has; the first takes the operator's
//           identity, and what the last has is the total.
// Predict:  one more shuffle, no more applications, no more time.
// Measured: on an H200 1.9 us, as rung 11.
// Bytes:    n elements read, n results and the total written.
//
// The page prepends a 0, which is right only for an operator whose identity is 0: of numbers below
// 0 it makes a greatest that is not among them (exhibit 28). And it drops the last result, the one
// that the exclusive scan has no other place for.
#include "ladder/scan/block_scan.cuh"

namespace ladder::scan {

template <class Op>
__global__ void exclusive(typename Op::element const* in, unsigned n, typename Op::result* out,
                          Op op) {
  using state = typename Op::state;
  unsigned const t = threadIdx.x;
  state all;
  state const before = exclusive_in_block(t < n ? lifted<Op>(in[t]) : op.identity(), all, op);
  if (t < n) out[t] = op.finish(before);
  if (t == 0) out[n] = op.finish(all);
}

static registered const here{one_block(
    {
        .id = "scan/12_exclusive_from_inclusive",
        .title = "Exclusive: what the thread before has",
        .bound = "one block, so at most 1024 elements",
        .page = "exclusive from inclusive: prepend 0, drop the last",
    },
    most_threads,
    [](unsigned block, auto op, auto const* in, unsigned n, auto* out, cudaStream_t stream) {
      using Op = decltype(op);
      tally::launch(exclusive<Op>, 1, block, 0, stream)(in, n, out, op);
    },
    {.exclusive = true})};

}  // namespace ladder::scan
