// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ladder/top_k/values.cuh"

// The page's selection, corrected: rungs 3 to 6, and the table of docs/ladder.md. Each thread keeps
// its k best in a list of its own, which it inserts elements into, and stores that list in shared
// memory. There a tree merges: a thread inserts another's list into its own, and when all have
// read, stores that again. A second launch, of one block, does the same with what the blocks have
// left.
namespace ladder::top_k {

constexpr std::size_t shared_without_asking = 48 << 10;

// Puts x where it belongs in a list of k, best first: what the page calls insert_value. It looks
// through the whole list for x before it sees whether x is good enough at all.
template <class List>
__device__ void insert_value(List list, unsigned k, int x, bool distinct) {
  for (unsigned i = 0; distinct && i < k; ++i) {
    applied();
    if (list[i] == x) return;
  }
  applied();
  if (x < list[k - 1]) return;
  unsigned at = k - 1;
  for (; at > 0; --at) {
    applied();
    if (list[at - 1] >= x) break;
    list[at] = list[at - 1];
  }
  list[at] = x;
}

// A list of the calling block to out[0], ..., out[k - 1].
struct one_thread {
  __device__ void operator()(int const* list, unsigned k, int* out) const {
    for (unsigned i = 0; threadIdx.x == 0 && i < k; ++i) out[i] = list[i];
  }
};
struct one_element_a_thread {  // needs k threads
  __device__ void operator()(int const* list, unsigned k, int* out) const {
    if (threadIdx.x < k) out[threadIdx.x] = list[threadIdx.x];
  }
};
struct all_elements {
  __device__ void operator()(int const* list, unsigned k, int* out) const {
    for (unsigned i = threadIdx.x; i < k; i += blockDim.x) out[i] = list[i];
  }
};

// `known`: k is the capacity, as the page's macro is, so that the compiler knows it. saw_least is
// null in the second launch.
template <unsigned capacity, bool known, class WriteBack>
__global__ void select_by_insertion(int const* in, std::size_t n, unsigned asked, bool distinct,
                                    ranking rank, unsigned* saw_least, int* out,
                                    WriteBack write_back) {
  unsigned const k = known ? capacity : asked;
  int own[capacity];
  for (unsigned i = 0; i < k; ++i) own[i] = least;
  bool saw = false;
  for (std::size_t i = thread_of_grid(); i < n; i += threads_of_grid()) {
    int const x = rank(in[i]);
    saw = saw || x == least;
    insert_value(own, k, x, distinct);
  }
  if (saw && saw_least) atomicOr(saw_least, 1u);

  int* const lists = tally::dynamic_shared<int>();
  unsigned const t = threadIdx.x;
  auto const store = [&] {
    for (unsigned i = 0; i < k; ++i) lists[t * k + i] = own[i];
  };
  store();
  __syncthreads();
  for (unsigned width = blockDim.x; width > 1; width = (width + 1) / 2) {
    unsigned const half = (width + 1) / 2;
    bool const merges = t + half < width;
    for (unsigned i = 0; merges && i < k; ++i)
      insert_value(own, k, lists[(t + half) * k + i], distinct);
    __syncthreads();
    if (merges) store();
    __syncthreads();
  }
  write_back(lists, k, out + std::size_t{blockIdx.x} * k);
}

// Both launches, in that shape. What comes out at the end is behind the lists of the blocks.
template <unsigned capacity, bool known, class WriteBack>
void enqueue_insertion_of(problem const& p, WriteBack write_back) {
  auto const kernel = select_by_insertion<capacity, known, WriteBack>;
  auto const k = unsigned(p.k);
  std::size_t const bytes = p.block * p.k * sizeof(int), values = p.grid * p.k;
  lists_scratch const scratch(p);
  int* const best = scratch.lists + values;
  tally::launch(kernel, p.grid, p.block, bytes, p.stream)(elements_of(p), p.n, k, p.distinct,
                                                          ranking_of(p), scratch.saw_least,
                                                          scratch.lists, write_back);
  tally::launch(kernel, 1, p.block, bytes, p.stream)(scratch.lists, values, k, p.distinct,
                                                     ranking{}, nullptr, best, write_back);
  enqueue_write_list(p, best);
}

// The compiler knows the k's of the page's table, and that none is greater than one warp can do.
template <class WriteBack>
void enqueue_insertion(problem const& p, WriteBack write_back) {
  switch (p.k) {
    case 5: return enqueue_insertion_of<5, true>(p, write_back);
    case 10: return enqueue_insertion_of<10, true>(p, write_back);
    case 20: return enqueue_insertion_of<20, true>(p, write_back);
    case 40: return enqueue_insertion_of<40, true>(p, write_back);
    case 48: return enqueue_insertion_of<48, true>(p, write_back);
    case 50: return enqueue_insertion_of<50, true>(p, write_back);
    case 96: return enqueue_insertion_of<96, true>(p, write_back);
    case 100: return enqueue_insertion_of<100, true>(p, write_back);
    case 192: return enqueue_insertion_of<192, true>(p, write_back);
    case 384: return enqueue_insertion_of<384, true>(p, write_back);
    default: return enqueue_insertion_of<384, false>(p, write_back);
  }
}

inline std::size_t most_k_in(std::size_t shared_bytes, problem const& p) {
  return shared_bytes / (p.block * sizeof(int));
}
inline std::size_t most_k_of_insertion(problem const& p) {
  return std::min<std::size_t>(most_k_in(shared_without_asking, p), 384);
}

template <class WriteBack>
rung insertion_rung(rung r, WriteBack write_back) {
  r.block = 256;
  r.takes_distinct = true;
  r.scratch_bytes = [](problem const& p) { return lists_scratch::bytes(p, p.grid + 1); };
  r.enqueue = [write_back](problem const& p) { enqueue_insertion(p, write_back); };
  return select_rung(r, {.indices = false});
}

}  // namespace ladder::top_k
