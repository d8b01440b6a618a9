// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ladder/scan/scan.cuh"

// Rung 7's scan, with element i wherever in shared memory `at(i)` says.
namespace ladder::scan {

template <class At, class Op>
__global__ void brent_kung(typename Op::element const* in, unsigned n, typename Op::result* out,
                           At at, Op op) {
  auto* const x = tally::dynamic_shared<typename Op::state>();
  unsigned const t = threadIdx.x;
  for (unsigned i = t; i < n; i += blockDim.x) x[at(i)] = lifted<Op>(in[i]);
  __syncthreads();

  // Up a tree: at every 2 * stride-th place what the 2 * stride elements up to it come to.
  unsigned stride = 1;
  for (; stride < n; stride *= 2) {
    unsigned const to = (t + 1) * 2 * stride - 1;
    if (to < n) x[at(to)] = op(x[at(to - stride)], x[at(to)]);
    end_step(op);
  }
  // And down: every place that is finished gives itself to the one halfway to the next.
  for (stride /= 4; stride > 0; stride /= 2) {
    unsigned const from = (t + 1) * 2 * stride - 1, to = from + stride;
    if (to < n) x[at(to)] = op(x[at(from)], x[at(to)]);
    end_step(op);
  }

  for (unsigned i = t; i < n; i += blockDim.x) out[i] = op.finish(x[at(i)]);
  if (t == 0) out[n] = op.finish(n ? x[at(n - 1)] : op.identity());
}

constexpr unsigned most_elements = 2 * most_threads;

// Enqueues it in one block, of at most most_elements.
template <class At, class Op>
void enqueue_brent_kung(typename Op::element const* in, unsigned n, typename Op::result* out, At at,
                        Op op, cudaStream_t stream) {
  std::size_t const bytes = (at(most_elements - 1) + 1) * sizeof(typename Op::state);
  tally::launch(brent_kung<At, Op>, 1, most_threads, bytes, stream)(in, n, out, at, op);
}

}  // namespace ladder::scan
