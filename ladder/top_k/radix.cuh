// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ladder/top_k/cut.cuh"

// Cuts by digits: bins of a width that is a power of two, 8 binary digits a round. Most elements
// differ in their first 32, so that rounds 5 to 8 mostly have nothing left to do.
namespace ladder::top_k {

__global__ inline void begin_with_all(cut* c, std::size_t wanted) {
  begin(c, 0, ~entry{0}, wanted);
}

template <class Source>
void enqueue_radix_cut(problem const& p, Source in) {
  constexpr unsigned bins = 256, rounds = 8;
  tally::launch(begin_with_all, 1, 256, 0, p.stream)(cut_scratch(p).state, found_at_most(p));
  enqueue_cut<shift>(p, in, bins, rounds);
}

}  // namespace ladder::top_k
