// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ladder/top_k/bitonic.cuh"
#include "tally/block/scan.cuh"
#include "tally/types.hpp"

// Where the k best end, for rungs 12 to 14: a range of entries is cut into bins of one width, the
// entries are counted bin by bin, and the bin in which the k-th best is found is the next range,
// until all entries of a range are wanted. As no two entries are equal, that is so at the latest in
// one of width 1. Then the k best are those from its first on.
namespace ladder::top_k {

constexpr unsigned most_bins = 1024;

// In a rung's scratch.
struct cut {
  entry low, span;            // the range: from low to low + span
  unsigned long long wanted;  // entries of the range
  unsigned done;
  unsigned taken;  // by gather
  unsigned long long sampled;
  unsigned counts[most_bins];
};

// One block. `span` is one less than how many values the range has.
__device__ inline void begin(cut* c, entry low, entry span, std::size_t wanted) {
  for (unsigned i = threadIdx.x; i < most_bins; i += blockDim.x) c->counts[i] = 0;
  if (threadIdx.x != 0) return;
  c->low = low, c->span = span, c->wanted = wanted;
  c->done = wanted == 0, c->taken = 0;
}

// Into which of a range's bins an entry falls that is so far from its first: rung 12's bins are of
// any width, others' of a power of two.
struct division {
  entry width;
  __device__ entry operator()(entry offset) const { return offset / width; }
};
struct shift {
  int digits;
  __device__ explicit shift(entry width) : digits(63 - tally::leading_zeros(width)) {}
  __device__ entry operator()(entry offset) const { return offset >> digits; }
};
__device__ inline entry width_of(entry span, unsigned bins) { return span / bins + 1; }

// Counts the entries of each bin.
template <unsigned bins, class Bin, class Source>
__global__ void count_bins(Source from, cut* c) {
  __shared__ unsigned counts[bins];
  if (c->done) return;
  for (unsigned i = threadIdx.x; i < bins; i += blockDim.x) counts[i] = 0;
  __syncthreads();
  entry const low = c->low, span = c->span;
  Bin const bin{width_of(span, bins)};
  auto const in = from.open();
  std::size_t const n = in.size();
  for (std::size_t i = thread_of_grid(); i < n; i += threads_of_grid()) {
    entry const offset = in[i] - low;  // of an entry below, more than any span
    applied();
    if (offset <= span) atomicAdd(&counts[bin(offset)], 1u);
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < bins; i += blockDim.x)
    if (counts[i]) atomicAdd(&c->counts[i], counts[i]);
}

// One block of a thread a bin, the first of which has the best bin. The bin with the last of the
// wanted entries becomes the range; the best one may be narrower than the others.
template <unsigned bins>
__global__ void choose_bin(cut* c) {
  if (c->done) return;
  unsigned const bin = bins - 1 - threadIdx.x;
  unsigned long long const count = c->counts[bin], wanted = c->wanted;
  entry const low = c->low, span = c->span, width = width_of(span, bins);
  c->counts[bin] = 0;
  auto const better = tally::block::exclusive_scan<bins>(count, tally::plus{}, 0);
  __syncthreads();  // all have read c
  if (wanted <= better || wanted > better + count) return;
  entry const first = bin * width, rest = span - first;
  c->low = low + first;
  c->span = rest < width ? rest : width - 1;
  c->wanted = wanted - better;
  c->done = count == wanted - better;
}

// The entries from the cut on, in any order: exactly the k best.
template <class Source>
__global__ void gather(Source from, cut* c, entry* best) {
  auto const in = from.open();
  entry const low = c->low;
  std::size_t const n = in.size();
  for (std::size_t i = thread_of_grid(); i < n; i += threads_of_grid()) {
    entry const e = in[i];
    if (e >= low) best[atomicAdd(&c->taken, 1u)] = e;
  }
}

// How a rung's scratch begins; behind it are entries.
struct cut_scratch {
  cut* state;
  entry* best;

  explicit cut_scratch(problem const& p)
      : state(static_cast<cut*>(p.scratch)), best(reinterpret_cast<entry*>(state + 1)) {}
  static std::size_t bytes(std::size_t entries) { return sizeof(cut) + entries * sizeof(entry); }
};

// From a cut that has begun on: `rounds` of counting, then what is found, sorted, to the results.
template <unsigned bins, class Bin, class Source>
void enqueue_cut(problem const& p, Source in, unsigned rounds) {
  cut_scratch const scratch(p);
  for (unsigned i = 0; i < rounds; ++i) {
    tally::launch(count_bins<bins, Bin, Source>, p.grid, p.block, 0, p.stream)(in, scratch.state);
    tally::launch(choose_bin<bins>, 1, bins, 0, p.stream)(scratch.state);
  }
  if (found_at_most(p) > 0)
    tally::launch(gather<Source>, p.grid, p.block, 0, p.stream)(in, scratch.state, scratch.best);
  enqueue_sort(scratch.best, found_at_most(p), p.stream);
  enqueue_write_entries(p, scratch.best);
}

inline rung cut_rung(rung r) {
  r.grid = 528;
  r.block = 256;
  if (!r.scratch_bytes)
    r.scratch_bytes = [](problem const& p) { return cut_scratch::bytes(found_at_most(p)); };
  return select_rung(r, {.indices = true});
}

}  // namespace ladder::top_k
