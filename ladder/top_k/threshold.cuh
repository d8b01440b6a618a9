// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ladder/top_k/columns.cuh"

namespace ladder::top_k {

// One comparison for what is not good enough. For what is, those with the elements that it goes
// before; that it is in the list already shows where it would go.
struct threshold_first {
  __device__ void operator()(column list, unsigned k, int x, bool distinct) const {
    applied();
    if (x <= list[k - 1]) return;
    unsigned at = k - 1;
    for (; at > 0; --at) {
      applied();
      if (list[at - 1] >= x) break;
    }
    if (distinct && at > 0 && list[at - 1] == x) return;
    for (unsigned i = k - 1; i > at; --i) list[i] = list[i - 1];
    list[at] = x;
  }
};

}  // namespace ladder::top_k
