// SPDX-License-Identifier: Apache-2.0
//
// The place of each of some thousand entries in their order: they are put into bins by something
// that rises with their place, and compared with those of their bin alone.
#pragma once

#include "tally/device/select/cut.cuh"
#include "tally/warp/reduce.cuh"

namespace tally::device {

inline constexpr unsigned bins = 256;
// The largest bin of which a thread compares all with its entry.
inline constexpr unsigned alone_in_bin = 96;

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
  // Entries are spread over the warps, which compare those of large bins together.
  unsigned const warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  unsigned const turn = parts == 1 ? threadIdx.x : lane * (selecting_threads / 32) + warp;
#pragma unroll 1
  for (unsigned from = 0; from < count; from += selecting_threads * parts) {
    unsigned const i = from + turn * parts + part;
    unsigned const bin = i < count ? tags[i] : 0;
    unsigned const begin = shared.first[bin];
    bool const there = i < count && begin < kept;
    unsigned const size = there ? shared.first[bin + 1] - begin : 0;
    unsigned place = begin;
    Bits key = 0;
    Index index = 0;
    if (there) entry(i, key, index);
    if (size <= alone_in_bin)
#pragma unroll 2
      for (unsigned other = begin; other < begin + size; ++other)
        place += before(to.keys[other], to.indices[other], key, index);
    for (unsigned left = __ballot_sync(~0u, size > alone_in_bin); left != 0; left &= left - 1) {
      int const of = __ffs(int(left)) - 1;
      Bits const its_key = warp::broadcast(key, of);
      Index const its_index = warp::broadcast(index, of);
      unsigned const first = warp::broadcast(begin, of), end = first + warp::broadcast(size, of);
      unsigned earlier = 0;
#pragma unroll 1
      for (unsigned other = first + lane; other < end; other += 32)
        earlier += before(to.keys[other], to.indices[other], its_key, its_index);
      earlier = warp::all_reduce(earlier, plus{});
      if (int(lane) == of) place += earlier;
    }
    if (there && place < limit) emit(place, key, index);
  }
  return true;
}

}  // namespace tally::device
