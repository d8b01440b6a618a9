// SPDX-License-Identifier: Apache-2.0
//
// The place of each of some thousand entries in their order: they are put into bins by something
// that rises with their place, and compared with those of their bin alone.
#pragma once

#include "tally/device/select/cut.cuh"
#include "tally/warp/reduce.cuh"

namespace tally::device {

inline constexpr unsigned bins = 256;

// What the threads of a block share.
struct bin_board {
  unsigned count[bins], first[bins + 1], next[bins];
  unsigned kept;  // entries in bins of which some are among those that are asked for
};

// Entries in the order of their bins, those of a bin in any order, and the bin of each. In shared
// memory.
template <class Entry>
struct binned {
  Entry* entries;
  unsigned char* bins;
  unsigned room;
};

// Of four neighbours, or those that there are, how many come before an entry.
template <class T, class Before>
__device__ unsigned how_many_of_four(T const* in, unsigned there, T const& mine, Before before) {
  struct alignas(16) four {
    T of[4];
  };
  unsigned found = 0;
  if (there >= 4) {
    four const x = *reinterpret_cast<four const*>(in);
#pragma unroll
    for (int j = 0; j < 4; ++j) found += before(x.of[j], mine);
  } else {
#pragma unroll 1
    for (unsigned j = 0; j < there; ++j) found += before(in[j], mine);
  }
  return found;
}

// The places of some of `count` entries: own(i, bin) is one and its bin. Where there are more
// threads than entries, up to eight lanes share one.
template <class T, class Own, class Before, class Emit>
__device__ void place_in_bins(unsigned part, unsigned parts, bin_board const& shared, T const* in,
                              unsigned count, unsigned limit, Own own, Before before, Emit emit) {
  unsigned const warps = selecting_threads / 32 * parts;
  unsigned const warp = threadIdx.x / 32 * parts + part, lane = threadIdx.x % 32;
  unsigned share = 0;  // the logarithm of how many lanes share an entry
  while (share < 3 && count << share <= 16 * warps) ++share;
  unsigned const lanes = 1u << share, each = 32 >> share, kept = shared.kept;
#pragma unroll 1
  for (unsigned from = warp * each; from < count; from += warps * each) {
    unsigned const i = from + (lane >> share);
    unsigned bin;
    T const mine = own(i < count ? i : from, bin);
    unsigned const begin = shared.first[bin];
    bool const there = i < count && begin < kept;
    unsigned const end = there ? shared.first[bin + 1] : 0;
    // From an address that vectors can be loaded from: what is in bins before is before.
    unsigned const first = begin & ~3u;
    unsigned earlier = 0;
#pragma unroll 1
    for (unsigned other = first + 4 * (lane & (lanes - 1)); other < end; other += 4 * lanes)
      earlier += how_many_of_four(in + other, end - other, mine, before);
#pragma unroll 1
    for (unsigned flip = 1; flip < lanes; flip *= 2) earlier += warp::exchange(earlier, int(flip));
    unsigned const place = first + earlier;
    if (there && (lane & (lanes - 1)) == 0 && place < limit) emit(place, mine);
  }
}

// Calls emit(place, entry) for each entry whose place is below `limit`, of `count` of them.
// entry(i) is one, bin_of(entry) its bin, before(a, b) whether a comes before b; `tags` have room
// for `count`. All `parts` call this with the same entries, and each emits some. Returns false, in
// all of them, and emits nothing, where the bins that are asked for have no room.
template <class T, class Entry, class Bin, class Before, class Emit>
__device__ bool place_entries(unsigned part, unsigned parts, bin_board& shared, binned<T> const& to,
                              unsigned char* tags, unsigned count, unsigned limit, Entry entry,
                              Bin bin_of, Before before, Emit emit) {
  if (threadIdx.x < bins) shared.count[threadIdx.x] = 0;
  __syncthreads();
#pragma unroll 1
  for (unsigned i = threadIdx.x; i < count; i += selecting_threads) {
    unsigned const bin = bin_of(entry(i));
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
    unsigned const at = atomicAdd(&shared.next[bin], 1u);
    to.entries[at] = entry(i), to.bins[at] = static_cast<unsigned char>(bin);
  }
  __syncthreads();
  // One part takes the entries in the order of their bins, so that neighbouring lanes nearly always
  // have the same bin. Several parts cannot: within a bin each part's order is another. They share
  // the entries by their order in the list, which is the same for all.
  auto const own = [&](unsigned i, unsigned& bin) {
    bin = parts == 1 ? to.bins[i] : tags[i];
    return parts == 1 ? to.entries[i] : entry(i);
  };
  place_in_bins(part, parts, shared, to.entries, parts == 1 ? kept : count, limit, own, before,
                emit);
  return true;
}

}  // namespace tally::device
