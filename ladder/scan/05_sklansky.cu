// SPDX-License-Identifier: Apache-2.0
//
// Rung 5: Sklansky's scan of one block (1960).
//
// Change:   halves instead of distances: the last of a group gives itself to all of the next group,
//           and groups double. Half of the places take part in a step: a thread for two elements.
// Predict:  log2 n steps, as in rungs 3 and 4, with n / 2 applications each: 5120 for 1024, where
//           those have 9217; one barrier a step, in place. What it costs hardware, that one place
//           is read by up to n / 2 at once (fan-out), costs shared memory nothing: lanes that read
//           one word get it together. While groups are shorter than a warp, two lanes meet in a
//           bank.
// Measured: on an H200 2.8 us, as rung 4: with half of the warps. We take it that the addresses
//           take what the applications save.
// Bytes:    n elements read, n results written.
#include "ladder/scan/sklansky.cuh"

namespace ladder::scan {

struct sklansky : network {
  static constexpr unsigned elements_a_thread = 2;

  template <class X>
  __device__ X scan(X x, unsigned n, typename X::state&) const {
    sklansky_steps(x, n, in_a_row{});
    return x;
  }
};

static registered const here{network_rung<sklansky>(
    {
        .id = "scan/05_sklansky",
        .title = "Sklansky: log n steps, n / 2 applications each, fan-out n / 2",
        .bound = "one block of 2 elements a thread, so at most 2048: 11 steps",
    },
    2 * most_threads)};

}  // namespace ladder::scan
