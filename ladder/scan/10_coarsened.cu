// SPDX-License-Identifier: Apache-2.0
//
// Rung 10: a run of elements a thread.
//
// Change:   each thread first scans 9 neighbours by itself, as rung 1 does; rung 3 scans the runs'
//           last places; and each thread takes what is before its run into its own.
// Predict:  8 n / 9 applications, those of rung 3 for n / 9 elements, and 8 n / 9 again: 2483 for
//           1024, a fifth more than the networks with the fewest, and barriers of 4 warps in 7
//           steps instead of 32 in 10. 16 applications in a row are a thread's own, which wait for
//           no barrier: so coarsening pays where a barrier costs more than what it separates. Runs
//           are odd, so that lanes' places fall into different banks.
// Measured: on an H200 3.4 us, slower than rung 3: 16 applications in a row cost more than the
//           barriers that they save. It pays where a thread has far more elements, as from rung 14
//           on.
// Bytes:    n elements read, n results written.
#include "ladder/scan/kogge_stone.cuh"

namespace ladder::scan {

struct coarsened : network {
  static constexpr unsigned elements_a_thread = 9;
  unsigned run = elements_a_thread;

  template <class X>
  __device__ X scan(X x, unsigned n, typename X::state&) const {
    unsigned const begin = threadIdx.x * run, end = begin + run < n ? begin + run : n;
    for (unsigned i = begin + 1; i < begin + run; ++i) {
      if (i < n) x.combine(i - 1, i);
      x.end_own_step();
    }
    __syncthreads();
    kogge_stone_steps(x, (n + run - 1) / run, [this, n](unsigned i) {
      return (i + 1) * run < n ? (i + 1) * run - 1 : n - 1;
    });
    for (unsigned i = begin; i + 1 < begin + run; ++i) {
      if (begin > 0 && i + 1 < end) x.combine(begin - 1, i);
      x.end_own_step();
    }
    __syncthreads();
    return x;
  }
};

static registered const here{network_rung<coarsened>(
    {
        .id = "scan/10_coarsened",
        .title = "A run of 9 elements a thread (drawn: of 4), Kogge-Stone over the runs",
        .bound = "one block of 9 elements a thread; at most 2048 here: 8 steps, 16 a thread's own",
    },
    2 * most_threads, {}, {{}, 4})};  // drawn with runs of 4

}  // namespace ladder::scan
