// SPDX-License-Identifier: Apache-2.0
//
// Rung 9: Blelloch's scan of one block (1990).
//
// Change:   the way up is rung 7's. Then the last place is set to the identity, and on the way down
//           each place hands what is before it to its left half, and that half's total behind it to
//           its right half: the results are exclusive, with nothing moved at the end.
// Predict:  2 (n - 1) applications, log2 n more than rung 7, and 2 log2 n + 1 steps: 21 for 1024.
//           An n that is not a power of two is filled up to one with identities, which are combined
//           like elements. Conflicts as in rung 7, and one write more in each step down. So no
//           faster; what it gains is the exclusive scan.
// Measured: on an H200 4.5 us after rung 7's 3.9.
// Bytes:    n elements read, n results and the total written.
#include "ladder/scan/network.cuh"

namespace ladder::scan {

struct blelloch : network {
  static constexpr bool exclusive = true;
  static constexpr unsigned elements_a_thread = 2;
  static __host__ __device__ unsigned places(unsigned n) {
    unsigned power = 1;
    while (power < n) power *= 2;
    return power;
  }

  // Calls use(left, right) for every last place of 2 * stride, and the one halfway to it.
  template <class Use>
  __device__ static void for_halves(unsigned stride, unsigned end, Use use) {
    for (unsigned i = threadIdx.x; (i + 1) * 2 * stride <= end; i += blockDim.x)
      use((2 * i + 1) * stride - 1, (2 * i + 2) * stride - 1);
  }

  template <class X>
  __device__ X scan(X x, unsigned n, typename X::state& all) const {
    unsigned const end = places(n);
    for (unsigned stride = 1; stride < end; stride *= 2) {
      for_halves(stride, end, [&](unsigned left, unsigned right) { x.combine(left, right); });
      x.end_step();
    }
    if (threadIdx.x == 0) {
      all = x[end - 1];
      x.clear(end - 1);
    }
    x.end_step();
    for (unsigned stride = end / 2; stride > 0; stride /= 2) {
      for_halves(stride, end, [&](unsigned left, unsigned right) { x.hand_down(left, right); });
      x.end_step();
    }
    return x;
  }
};

static registered const here{network_rung<blelloch>(
    {
        .id = "scan/09_blelloch",
        .title = "Blelloch: up, and down with the identity from the root: exclusive",
        .bound = "one block of 2 elements a thread, so at most 2048: 23 steps, bank conflicts",
    },
    2 * most_threads)};

}  // namespace ladder::scan
