// SPDX-License-Identifier: Apache-2.0
//
// Rung 7: a single pass.
//
// Change:   each block counts itself done, and the block that finds itself the last reduces the
//           partials: single_pass. The counter is in the workspace of the call, so that two streams
//           do not share it; the last block sets it back.
// Predict:  one launch fewer, 1 to 2 microseconds of about 10; the counter costs half of one.
// Measured: on an H200 a loss, 15.4 us after 13.9. The launch saved was cheap: an empty kernel in a
//           graph takes 0.8 us. And counting costs more: each block stays until its atomic, one of
//           1024 on one address, has answered, and the last then reads what all have left.
// Bytes:    n elements read, a state a block written and read.
#include "ladder/reduce/single_pass.cuh"
#include "ladder/reduce/unrolled.cuh"

namespace ladder::reduce {

template <unsigned block, class Op>
__global__ void last_block(typename Op::element const* in, std::size_t n, workspace<Op> scratch,
                           typename Op::result* out, Op op) {
  auto* const shared = tally::dynamic_shared<typename Op::state>();
  single_pass(in, n, scratch, out, op,
              [&](auto x) { return unrolled_total<block>(x, shared, op); });
}

static registered const here{reduction(
    {
        .id = "reduce/07_single_pass",
        .title = "A single pass: the last block finishes",
        .bound = "reading, then one chain of atomics",
        .page = "SinglePassMergedKernel",
        .page_us = 39,
        .grid = 1024,
        .block = 1024,
    },
    [](problem const& p, auto op) {
      using Op = decltype(op);
      with_block_size(p.block, [&]<unsigned block>(std::integral_constant<unsigned, block>) {
        auto const kernel = tally::launch(last_block<block, Op>, p.grid, block,
                                          block * sizeof(typename Op::state), p.stream);
        kernel(static_cast<typename Op::element const*>(p.in), p.n, workspace<Op>(p.scratch),
               static_cast<typename Op::result*>(p.out), op);
      });
    })};

}  // namespace ladder::reduce
