// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ladder/top_k/top_k.cuh"

// What the rungs share that find values only, 1 to 11: lists of ranks, best first. A place that
// nothing was found for holds `least`, which can be an element, too. A list with equal elements
// needs no more: its first min(k, n) are right, wherever their `least` come from. Of different
// elements, whether `least` is one of them is noted apart.
namespace ladder::top_k {

// A rung's scratch: that note, 0 between calls, and so many lists.
struct lists_scratch {
  unsigned* saw_least;
  int* lists;

  explicit lists_scratch(problem const& p)
      : saw_least(static_cast<unsigned*>(p.scratch)), lists(static_cast<int*>(p.scratch) + 4) {}
  static std::size_t bytes(problem const& p, std::size_t lists) { return 16 + lists * p.k * 4; }
};

// How many of a list were found: with equal elements as many as can be, else those above `least`.
__device__ inline unsigned count_of(int const* list, unsigned k, std::size_t n, bool distinct,
                                    bool saw_least) {
  if (!distinct) return n < k ? unsigned(n) : k;
  unsigned count = 0;
  for (unsigned end = k; count < end;) {
    unsigned const middle = (count + end) / 2;
    if (list[middle] > least)
      count = middle + 1;
    else
      end = middle;
  }
  return count + (count < k && saw_least);
}

// One block: the list to the results.
template <class Rank>
__global__ void write_list(int const* list, unsigned k, std::size_t n, bool distinct,
                           unsigned* saw_least, Rank rank, results to) {
  __shared__ unsigned count;
  if (threadIdx.x == 0) {
    count = count_of(list, k, n, distinct, *saw_least != 0);
    *to.count = count;
    *saw_least = 0;
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < k; i += blockDim.x)
    to.values[i] = i < count ? rank(list[i]) : 0;
}

inline void enqueue_write_list(problem const& p, int const* list) {
  tally::launch(write_list<ranking>, 1, 128, 0, p.stream)(
      list, unsigned(p.k), p.n, p.distinct, lists_scratch(p).saw_least, ranking_of(p), results(p));
}

}  // namespace ladder::top_k
