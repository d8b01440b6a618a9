// SPDX-License-Identifier: Apache-2.0
//
// Rung 6: Ladner and Fischer's scan of one block (1980), as adders are built by it.
//
// Change:   first every two neighbours become one, rung 5 scans those, and a last step gives every
//           second place what it lacks.
// Predict:  one step more than rung 5, and n - 1 + n / 4 * (log2 n - 1) applications: 3327 for 1024
//           after 5120. Each time that an array is halved first costs a step at the end, and saves
//           applications and fan-out; rung 7 halves until one place is left. Places are twice as
//           far apart, so that more lanes meet in a bank.
// Measured: on an H200 2.5 us after 2.8, the fastest of those in shared memory. Its conflicts are
//           912 for 2048 elements, not the 976 that the places make: the compiler reads two
//           neighbours in the first step at once.
// Bytes:    n elements read, n results written.
#include "ladder/scan/sklansky.cuh"

namespace ladder::scan {

struct ladner_fischer : network {
  static constexpr unsigned elements_a_thread = 2;

  template <class X>
  __device__ X scan(X x, unsigned n, typename X::state&) const {
    unsigned const t = threadIdx.x;
    if (2 * t + 1 < n) x.combine(2 * t, 2 * t + 1);
    x.end_step();
    sklansky_steps(x, n / 2, [](unsigned i) { return 2 * i + 1; });
    if (2 * t + 2 < n) x.combine(2 * t + 1, 2 * t + 2);
    x.end_step();
    return x;
  }
};

static registered const here{network_rung<ladner_fischer>(
    {
        .id = "scan/06_ladner_fischer",
        .title = "Ladner-Fischer: neighbours first, Sklansky over half of the places",
        .bound = "one block of 2 elements a thread, so at most 2048: 12 steps, bank conflicts",
    },
    2 * most_threads)};

}  // namespace ladder::scan
