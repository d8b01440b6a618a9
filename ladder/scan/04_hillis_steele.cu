// SPDX-License-Identifier: Apache-2.0
//
// Rung 4: two arrays in turn. (Hillis and Steele's of 1986 has processors in lockstep.)
//
// Change:   a step reads one array and writes another, so that nobody overwrites what others still
//           read: one barrier a step, where rung 3 has two. Who takes from whom is as in rung 3.
// Predict:  half of the barriers, and as many applications; but those that have nothing to take
//           copy, and there is shared memory for 2 n. A little faster: what a step waits for is a
//           read, an application and a write, behind one barrier instead of two.
// Measured: on an H200 2.8 us after 2.9: a barrier costs little beside what stands between two.
// Bytes:    n elements read, n results written.
#include "ladder/scan/network.cuh"

namespace ladder::scan {

struct hillis_steele : network {
  static constexpr unsigned rooms = 2;

  template <class X>
  __device__ X scan(X from, unsigned n, typename X::state&) const {
    unsigned const t = threadIdx.x;
    X to = from.behind(n);
    for (unsigned stride = 1; stride < n; stride *= 2) {
      if (t < n) to[t] = t < stride ? from[t] : from.both(t - stride, t);
      from.end_step();
      X const was_from = from;
      from = to;
      to = was_from;
    }
    return from;
  }
};

static registered const here{network_rung<hillis_steele>(
    {
        .id = "scan/04_hillis_steele",
        .title = "Hillis-Steele: two arrays, one barrier a step",
        .bound = "one block, so at most 1024 elements: 10 steps of one barrier",
    },
    most_threads)};

}  // namespace ladder::scan
