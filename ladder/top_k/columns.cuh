// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ladder/top_k/insertion.cuh"

// Rungs 7 to 11: the lists are in shared memory only, side by side: the i-th elements of all lists
// are neighbours. The rungs differ in how elements are inserted and lists merged.
namespace ladder::top_k {

// One list of several that lie side by side.
struct column {
  int* first;
  unsigned stride;
  __device__ int& operator[](unsigned i) const { return first[i * stride]; }
};

struct page_insertion {
  __device__ void operator()(column list, unsigned k, int x, bool distinct) const {
    insert_value(list, k, x, distinct);
  }
};

// Merges the block's lists into its first, by a tree of insertions.
template <class Insert>
struct merge_by_insertion {
  static std::size_t shared_bytes(problem const& p) { return p.block * p.k * sizeof(int); }

  __device__ column operator()(int* lists, unsigned k, bool distinct) const {
    unsigned const t = threadIdx.x, stride = blockDim.x;
    column const own{lists + t, stride};
    for (unsigned width = blockDim.x; width > 1; width = (width + 1) / 2) {
      unsigned const half = (width + 1) / 2;
      if (t + half < width) {
        column const other{lists + t + half, stride};
        for (unsigned i = 0; i < k; ++i) Insert{}(own, k, other[i], distinct);
      }
      __syncthreads();
    }
    return {lists, stride};
  }
};

template <class Insert, class Merge>
__global__ void select_in_columns(int const* in, std::size_t n, unsigned k, bool distinct,
                                  ranking rank, unsigned* saw_least, int* out) {
  int* const lists = tally::dynamic_shared<int>();
  column const own{lists + threadIdx.x, blockDim.x};
  for (unsigned i = 0; i < k; ++i) own[i] = least;
  bool saw = false;
  for (std::size_t i = thread_of_grid(); i < n; i += threads_of_grid()) {
    int const x = rank(in[i]);
    saw = saw || x == least;
    Insert{}(own, k, x, distinct);
  }
  if (saw && saw_least) atomicOr(saw_least, 1u);
  __syncthreads();
  column const best = Merge{}(lists, k, distinct);
  for (unsigned i = threadIdx.x; i < k; i += blockDim.x)
    out[std::size_t{blockIdx.x} * k + i] = best[i];
}

template <class Insert, class Merge>
void enqueue_in_columns(problem const& p) {
  auto const kernel = select_in_columns<Insert, Merge>;
  auto const k = unsigned(p.k);
  std::size_t const bytes = Merge::shared_bytes(p), values = p.grid * p.k;
  lists_scratch const scratch(p);
  int* const best = scratch.lists + values;
  tally::launch(kernel, p.grid, p.block, bytes, p.stream)(
      elements_of(p), p.n, k, p.distinct, ranking_of(p), scratch.saw_least, scratch.lists);
  tally::launch(kernel, 1, p.block, bytes, p.stream)(scratch.lists, values, k, p.distinct,
                                                     ranking{}, nullptr, best);
  enqueue_write_list(p, best);
}

template <class Insert, class Merge = merge_by_insertion<Insert>>
rung column_rung(rung r) {
  r.grid = 528;
  r.block = 256;
  r.takes_distinct = true;
  r.scratch_bytes = [](problem const& p) { return lists_scratch::bytes(p, p.grid + 1); };
  r.enqueue = enqueue_in_columns<Insert, Merge>;
  return select_rung(r, {.indices = false});
}

// The largest k whose merge finds room on this device: a block that asks may have more than 48 KB.
template <class Merge>
std::size_t most_k_that_fits(problem const& p) {
  problem one = p;
  one.k = 1;
  return tally::detail::shared_memory_of_a_block() / Merge::shared_bytes(one);
}

}  // namespace ladder::top_k
