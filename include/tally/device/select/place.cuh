// SPDX-License-Identifier: Apache-2.0
//
// The place of each of some thousand entries in their order: they are put into bins by something
// that rises with their place, and compared with those of their bin alone.
#pragma once

#include "tally/device/select/cut.cuh"

namespace tally::device {

inline constexpr unsigned bins = 256;

// What the threads of a block share.
struct bin_board {
  unsigned count[bins], first[bins + 1], next[bins];
  unsigned kept;  // entries in bins of which some are among those that are asked for
};

// Entries in the order of their bins, those of a bin in any order, in shared memory.
template <class Bits, class Index>
struct binned {
  Bits* keys;
  Index* indices;
  unsigned room;
};

// Calls emit(place, key, index) for each entry whose place is below `limit`, of `count` of them.
// entry(i, key, index) gives one, bin_of(key, index) its bin, before(a, i, b, j) whether key a of
// index i comes before key b of index j; `tags` have room for `count`. All `parts` call
// this with the same entries, and each emits some. Returns false, in all of them, and emits
// nothing, where the bins that are asked for have no room.
template <class Bits, class Index, class Entry, class Bin, class Before, class Emit>
__device__ bool place_entries(unsigned part, unsigned parts, bin_board& shared,
                              binned<Bits, Index> const& to, unsigned char* tags, unsigned count,
                              unsigned limit, Entry entry, Bin bin_of, Before before, Emit emit) {
  if (threadIdx.x < bins) shared.count[threadIdx.x] = 0;
  __syncthreads();
#pragma unroll 1
  for (unsigned i = threadIdx.x; i < count; i += selecting_threads) {
    Bits key;
    Index index;
    entry(i, key, index);
    unsigned const bin = bin_of(key, index);
    tags[i] = static_cast<unsigned char>(bin);
    atomicAdd(&shared.count[bin], 1u);
  }
  __syncthreads();
  unsigned const mine = threadIdx.x < bins ? shared.count[threadIdx.x] : 0;
  unsigned const first = block::exclusive_scan(mine, plus{}, 0u);
  if (threadIdx.x < bins) {
    shared.first[threadIdx.x] = shared.next[threadIdx.x] = first;
    bool const is_last = first < limit && first + mine >= (limit < count ? limit : count);
    if (mine > 0 && is_last) shared.kept = first + mine;
  }
  if (threadIdx.x == 0) shared.first[bins] = count;
  if (threadIdx.x == 0 && count == 0) shared.kept = 0;
  __syncthreads();
  unsigned const kept = shared.kept;
  if (kept > to.room) return false;

#pragma unroll 1
  for (unsigned i = threadIdx.x; i < count; i += selecting_threads) {
    unsigned const bin = tags[i];
    if (shared.first[bin] >= kept) continue;
    Bits key;
    Index index;
    entry(i, key, index);
    unsigned const at = atomicAdd(&shared.next[bin], 1u);
    to.keys[at] = key, to.indices[at] = index;
  }
  __syncthreads();
#pragma unroll 1
  for (unsigned i = threadIdx.x * parts + part; i < count; i += selecting_threads * parts) {
    unsigned const bin = tags[i], end = shared.first[bin + 1];
    unsigned place = shared.first[bin];
    if (place >= kept) continue;
    Bits key;
    Index index;
    entry(i, key, index);
#pragma unroll 2
    for (unsigned other = place; other < end; ++other)
      place += before(to.keys[other], to.indices[other], key, index);
    if (place < limit) emit(place, key, index);
  }
  return true;
}

}  // namespace tally::device
