// SPDX-License-Identifier: Apache-2.0
//
// Rung 2: one thread an output.
//
// Change:   a thread for each result, which walks from the first element to its own.
// Predict:  no thread waits for another, and the last one takes n - 1 applications in a row, as one
//           thread alone would. But all together take n (n - 1) / 2: twice the elements, four times
//           the work.
// Measured: on an H200 142 us for 4096 elements: 35 ns each, as the last thread still goes through
//           all.
// Bytes:    n elements read n / 2 times over, mostly from caches; n results written.
#include "ladder/scan/scan.cuh"

namespace ladder::scan {

template <class Op>
__global__ void one_thread_an_output(typename Op::element const* in, std::size_t n,
                                     typename Op::result* out, Op op) {
  std::size_t const i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (n == 0 && i == 0) out[0] = op.finish(op.identity());
  if (i >= n) return;
  typename Op::state all = lifted<Op>(in[0]);
  for (std::size_t k = 1; k <= i; ++k) all = op(all, lifted<Op>(in[k]));
  out[i] = op.finish(all);
  if (i == n - 1) out[n] = op.finish(all);
}

static registered const here{scan_rung(
    {
        .id = "scan/02_one_thread_an_output",
        .title = "One thread an output",
        .bound = "n^2 / 2 reads and applications",
        .page = "naive: a thread an output",
        .grid = 32,
        .block = 128,
        .fixed_shape = true,
        .timed_up_to = 32 * 128,  // more would need more blocks, and far more time
        .verified_sizes = {1023, 1024, 1025},
    },
    [](problem const& p, auto op) {
      using Op = decltype(op);
      tally::launch(one_thread_an_output<Op>, p.grid, p.block, 0, p.stream)(elements_of<Op>(p), p.n,
                                                                            results_of<Op>(p), op);
    })};

}  // namespace ladder::scan
