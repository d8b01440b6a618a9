// SPDX-License-Identifier: Apache-2.0
//
// Rung 1: one thread.
//
// Change:   nothing yet: the loop that a CPU would run.
// Predict:  each addition waits for the one before it, and a few loads are in flight where a GPU
//           needs tens of thousands: some nanoseconds an element, a thousandth of what memory
//           gives.
// Measured: on an H200 37 ns an element, 24 from the L2 cache: a 28,000th of what memory gives.
// Bytes:    n elements read.
#include "ladder/reduce/reduce.cuh"

namespace ladder::reduce {

template <class Op>
__global__ void one_thread(typename Op::element const* in, std::size_t n, typename Op::result* out,
                           Op op) {
  typename Op::state total = op.identity();
  for (std::size_t i = 0; i < n; ++i) total = op(total, in[i]);
  *out = op.finish(total);
}

static registered const here{reduction(
    {
        .id = "reduce/01_one_thread",
        .title = "One thread",
        .bound = "latency: one chain of additions, few loads in flight",
        .page = "SerialKernel",
        .page_us = 100'307,
        .fixed_shape = true,
        .timed_up_to = 1 << 22,
    },
    [](problem const& p, auto op) {
      using Op = decltype(op);
      tally::launch(one_thread<Op>, 1, 1, 0, p.stream)(
          static_cast<typename Op::element const*>(p.in), p.n,
          static_cast<typename Op::result*>(p.out), op);
    })};

}  // namespace ladder::reduce
