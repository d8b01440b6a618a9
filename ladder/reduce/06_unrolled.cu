// SPDX-License-Identifier: Apache-2.0
//
// Rung 6: unrolled at compile time.
//
// Change:   the block size is a template argument, so the tree is straight code. Its part in shared
//           memory is a function, unrolled_total, which the next rung uses too.
// Predict:  some integer instructions fewer in a part that takes about a microsecond: hardly seen.
// Measured: on an H200 13.9 us after 15.1, with as many barriers. We take it that more than one
//           tree is waited for: an SM runs about eight of the 1024 blocks, at most two at a time,
//           and the second launch has a tree, too.
// Bytes:    n elements read, a state a block written and read.
#include "ladder/reduce/unrolled.cuh"

namespace ladder::reduce {

template <unsigned block, class Op, class In>
__global__ void unrolled(In const* in, std::size_t n, typename Op::result* out, Op op) {
  auto const mine = every_nth(in, n, thread_of_grid(), threads_of_grid(), op);
  auto* const shared = tally::dynamic_shared<typename Op::state>();
  auto const total = unrolled_total<block>(mine, shared, op);
  if (threadIdx.x == 0) out[blockIdx.x] = op.finish(total);
}

static registered const here{reduction(
    {
        .id = "reduce/06_unrolled",
        .title = "Unrolled at compile time",
        .bound = "reading, then two launches",
        .page = "TwoPassUnrollKernel",
        .page_us = 38,
        .grid = 1024,
        .block = 1024,
    },
    [](problem const& p, auto op) {
      with_block_size(p.block, [&]<unsigned block>(std::integral_constant<unsigned, block>) {
        two_passes(p, block, op, unrolled<block>, unrolled<block>);
      });
    })};

}  // namespace ladder::reduce
