// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ladder/scan/network.cuh"

namespace ladder::scan {

// Brent and Kung's scan: a thread for every two elements.
struct brent_kung : network {
  static constexpr unsigned elements_a_thread = 2;

  template <class X>
  __device__ X scan(X x, unsigned n, typename X::state&) const {
    unsigned const t = threadIdx.x;
    // Up a tree: at every 2 * stride-th place what the 2 * stride elements up to it come to.
    unsigned stride = 1;
    for (; stride < n; stride *= 2) {
      unsigned const to = (t + 1) * 2 * stride - 1;
      if (to < n) x.combine(to - stride, to);
      x.end_step();
    }
    // And down: every place that is finished gives itself to the one halfway to the next.
    for (stride /= 4; stride > 0; stride /= 2) {
      unsigned const from = (t + 1) * 2 * stride - 1, to = from + stride;
      if (to < n) x.combine(from, to);
      x.end_step();
    }
    return x;
  }
};

}  // namespace ladder::scan
