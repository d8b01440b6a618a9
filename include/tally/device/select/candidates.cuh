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

  // The batch's element i has the index index(i), by which row[] gives it. What is to be kept is
  // rare: it is read once more, so that there is little code, which has to be fetched, too.
  template <class Batch, class Row, class At>
  __device__ void take(Batch const& x, Row const& row, At index) {
    unsigned found = 0;
#pragma unroll
    for (int i = 0; i < Batch::items; ++i)
      if (ranges_.has(x.x[i])) found |= 1u << i;
    found &= x.live;
#pragma unroll 1
    while (found) {
      int const i = __ffs(int(found)) - 1;
      found &= found - 1;
      keep(order_(row[index(i)]), Index(index(i)));
    }
  }

 private:
  __device__ void keep(Bits key, Index index) {
    if (key > threshold_) {
      unsigned const at = atomicAdd(&counts_.above, 1u);
      if (at < room_.above)
        room_.keys[at] = key, room_.indices[at] = index;
      else
        spill_(key, index);
    } else {
      unsigned const at = atomicAdd(&counts_.ties, 1u);
      if (at < room_.ties) room_.tied[at] = index;
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
