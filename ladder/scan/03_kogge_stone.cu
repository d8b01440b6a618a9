// SPDX-License-Identifier: Apache-2.0
//
// Rung 3: Kogge and Stone's (Hillis and Steele's) scan of one block.
//
// Change:   a thread an element, in shared memory. In step s each place takes in what the place
//           2^s before it holds, so that it then comes from 2^(s + 1) elements. Two barriers a
//           step: all have read before any writes.
// Predict:  log2 n steps instead of n; n log2 n - (n - 1) applications: 9217 for 1024, nine times
//           what one thread needs. No bank conflicts: neighbours take from neighbours.
// Measured: on an H200 2.9 us for 1024 elements.
// Bytes:    n elements read, n results written.
//
// A block is all there is: 1024 elements on today's GPUs. More would need a carry between blocks,
// which begins at rung 14.
#include "ladder/scan/noted.cuh"

namespace ladder::scan {

template <class Op>
__global__ void kogge_stone(typename Op::element const* in, unsigned n, typename Op::result* out,
                            Op op) {
  using state = typename Op::state;
  auto* const x = tally::dynamic_shared<state>();
  unsigned const t = threadIdx.x;
  if (t < n) x[t] = lifted<Op>(in[t]);
  __syncthreads();
  for (unsigned stride = 1; stride < n; stride *= 2) {
    bool const takes = stride <= t && t < n;
    state const both = takes ? op(x[t - stride], x[t]) : state{};
    __syncthreads();
    if (takes) x[t] = both;
    end_step(op);
  }
  if (t < n) out[t] = op.finish(x[t]);
  if (t == 0) out[n] = op.finish(n ? x[n - 1] : op.identity());
}

static constexpr auto enqueue = [](auto op, auto const* in, unsigned n, auto* out,
                                   cudaStream_t stream = nullptr) {
  using Op = decltype(op);
  tally::launch(kogge_stone<Op>, 1, most_threads, most_threads * sizeof(typename Op::state),
                stream)(in, n, out, op);
};

static registered const here{one_block(
    {
        .id = "scan/03_kogge_stone",
        .title = "Kogge-Stone: log n steps, n log n applications",
        .bound = "one block, so at most 1024 elements: 10 steps of two barriers",
        .page = "algorithm 1, work-inefficient",
        .steps = [](problem const&) { return watch(enqueue); },
    },
    most_threads, enqueue)};

}  // namespace ladder::scan
