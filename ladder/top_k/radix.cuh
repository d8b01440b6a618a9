// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ladder/top_k/cut.cuh"

// Cuts by digits: bins of a width that is a power of two, 8 binary digits a round. Most elements
// differ in their first 32, so that rounds 5 to 8 mostly have nothing left to do.
namespace ladder::top_k {

template <entry low, entry span>
__global__ void begin_with(cut* c, std::size_t wanted) {
  begin(c, low, span, wanted);
}

template <class Source>
void enqueue_radix_cut(problem const& p, Source in) {
  constexpr unsigned bins = 256, rounds = 8;
  tally::launch(begin_with<0, ~entry{0}>, 1, 256, 0, p.stream)(cut_scratch(p).state,
                                                               found_at_most(p));
  enqueue_cut<bins, shift>(p, in, rounds);
}

}  // namespace ladder::top_k
