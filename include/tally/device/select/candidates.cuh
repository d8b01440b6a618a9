// SPDX-License-Identifier: Apache-2.0
//
// The elements of a row that are above a threshold, and at it, put aside in shared memory: for each
// other element a comparison of its bits.
#pragma once

#include "tally/device/select/cut.cuh"
#include "tally/exact/bit_ranges.hpp"

namespace tally::device {

// Where a block puts them: what is above as key and index, what is at the threshold as index.
template <class Bits, class Index>
struct candidate_room {
  Bits* keys;
  Index* indices;
  unsigned above;
  Index* tied;
  unsigned ties;
};

// How many there are, also of those that there was no room for.
struct candidate_counts {
  unsigned above, ties;
};

template <class Bits, class Index, class Spill>
class candidates {
 public:
  // spill(key, index) takes what is above and finds no room. All threads of the block call this,
  // then take() as they like; past a barrier the counts are right.
  __device__ candidates(candidate_room<Bits, Index> const& room, candidate_counts& counts,
                        rank_order<Bits> const& order, Bits threshold, Spill spill)
      : room_(room),
        counts_(counts),
        order_(order),
        threshold_(threshold),
        ranges_(bit_ranges<Bits>::at_least(order, threshold)),
        spill_(spill) {}

  // The batch's element i has the index index(i).
  template <class Batch, class At>
  __device__ void take(Batch const& x, At index) {
    bool some = false;
#pragma unroll
    for (int i = 0; i < Batch::items; ++i) some |= ranges_.has(x.x[i]);
    if (some) keep(x, index);
  }

 private:
  template <class Batch, class At>
  __device__ void keep(Batch const& x, At index) {
    unsigned above = 0, tied = 0;
#pragma unroll
    for (int i = 0; i < Batch::items; ++i) {
      Bits const key = order_(x.x[i]);
      above |= unsigned(key > threshold_) << i, tied |= unsigned(key == threshold_) << i;
    }
    above &= x.live, tied &= x.live;
    if (above) {
      unsigned at = atomicAdd(&counts_.above, unsigned(__popc(above)));
#pragma unroll
      for (int i = 0; i < Batch::items; ++i) {
        if (!(above >> i & 1)) continue;
        Bits const key = order_(x.x[i]);
        if (at < room_.above)
          room_.keys[at] = key, room_.indices[at] = Index(index(i));
        else
          spill_(key, Index(index(i)));
        ++at;
      }
    }
    if (tied) {
      unsigned at = atomicAdd(&counts_.ties, unsigned(__popc(tied)));
      if (at >= room_.ties) return;
#pragma unroll
      for (int i = 0; i < Batch::items; ++i) {
        if (!(tied >> i & 1)) continue;
        if (at < room_.ties) room_.tied[at] = Index(index(i));
        ++at;
      }
    }
  }

  candidate_room<Bits, Index> room_;
  candidate_counts& counts_;
  rank_order<Bits> const& order_;
  Bits threshold_;
  bit_ranges<Bits> ranges_;
  Spill spill_;
};

}  // namespace tally::device
