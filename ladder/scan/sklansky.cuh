// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ladder/scan/network.cuh"

namespace ladder::scan {

// Sklansky's steps over `count` elements, of which the i-th is at `place(i)`: a thread for every
// two of them. In each step the last of every second group, which are twice as long each time,
// gives itself to all of the next. Nobody overwrites what others read.
template <class X, class Place>
__device__ void sklansky_steps(X x, unsigned count, Place place) {
  unsigned const t = threadIdx.x;
  for (unsigned group = 1; group < count; group *= 2) {
    unsigned const to = t + (t & -group) + group, begin = to & -group;
    if (to < count) x.combine(place(begin - 1), place(to));
    x.end_step();
  }
}

}  // namespace ladder::scan
