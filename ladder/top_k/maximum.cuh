// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ladder/top_k/values.cuh"

// What rungs 1 and 2 share: a maximum in three launches, of which the middle one differs.
namespace ladder::top_k {

__device__ inline int greater(int a, int b) {
  applied();
  return a < b ? b : a;
}

// The greatest of the calling thread's elements.
__device__ inline int greatest_of_thread(int const* in, std::size_t n, ranking rank) {
  int best = least;
  for (std::size_t i = thread_of_grid(); i < n; i += threads_of_grid())
    best = greater(best, rank(in[i]));
  return best;
}

template <int value>
__global__ void set_to(int* best) {
  *best = value;
}

using maximum_kernel = void (*)(int const* in, std::size_t n, ranking rank, int* best);

inline rung maximum_rung(rung r, maximum_kernel kernel) {
  r.thread_an_element = true;
  r.block = 256;
  r.most_k = [](problem const&) { return std::size_t{1}; };
  r.scratch_bytes = [](problem const& p) { return lists_scratch::bytes(p, 1); };
  r.enqueue = [kernel](problem const& p) {
    int* const best = lists_scratch(p).lists;
    tally::launch(set_to<least>, 1, 1, 0, p.stream)(best);
    tally::launch(kernel, p.grid, p.block, p.block * sizeof(int), p.stream)(elements_of(p), p.n,
                                                                            ranking_of(p), best);
    enqueue_write_list(p, best);
  };
  return select_rung(r, {.indices = false});
}

}  // namespace ladder::top_k
