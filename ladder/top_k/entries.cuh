// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ladder/top_k/top_k.cuh"

// What the rungs share that find indices, too, from 12 on: an element and where it is in one number
// of 64 bits, the better the greater. Of equal elements the one with the lower index is better. No
// two entries are equal, so that there is always one set of k best, and one order.
namespace ladder::top_k {

using entry = unsigned long long;

__device__ inline entry entry_of(int rank, std::size_t index) {
  return entry(unsigned(rank) ^ 0x80000000u) << 32 | (~unsigned(index) & 0xffffffffu);
}
__device__ inline int rank_in(entry e) { return int(unsigned(e >> 32) ^ 0x80000000u); }
__device__ inline int index_in(entry e) { return int(~unsigned(e)); }

// The array, as entries. Kernels open what they read.
struct array_entries {
  int const* in;
  std::size_t n;
  ranking rank;
  __device__ array_entries open() const { return *this; }
  __device__ std::size_t size() const { return n; }
  __device__ entry operator[](std::size_t i) const { return entry_of(rank(in[i]), i); }
};

inline array_entries entries_of(problem const& p) { return {elements_of(p), p.n, ranking_of(p)}; }

// The first `count` of sorted entries to the results.
template <class Rank>
__global__ void write_entries(entry const* sorted, std::size_t count, std::size_t k, Rank rank,
                              results to) {
  if (thread_of_grid() == 0) *to.count = count;
  for (std::size_t i = thread_of_grid(); i < k; i += threads_of_grid()) {
    entry const e = i < count ? sorted[i] : 0;
    to.values[i] = i < count ? rank(rank_in(e)) : 0;
    to.indices[i] = i < count ? index_in(e) : -1;
  }
}

inline void enqueue_write_entries(problem const& p, entry const* sorted) {
  auto const blocks = unsigned(std::min<std::size_t>(p.k / 128 + 1, 1024));
  tally::launch(write_entries<ranking>, blocks, 128, 0, p.stream)(sorted, found_at_most(p), p.k,
                                                                  ranking_of(p), results(p));
}

}  // namespace ladder::top_k
