// SPDX-License-Identifier: Apache-2.0
//
// The elements of a row that are above a threshold, and at it, put aside in shared memory: for each
// other element a comparison of its bits.
#pragma once

#include "tally/device/top_k/select/cut.cuh"
#include "tally/device/top_k/select/reach.cuh"

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
  unsigned first_tie;  // of those that there was no room for, ~ the least index, or 0
};

template <class Bits, class Index, class Spill>
class candidates {
 public:
  // spill(key, index) takes what is above and finds no room. All threads of the block call this,
  // then warps call take() as they like; past a barrier the counts are right. When more than
  // `enough` are at the threshold, and more than there is room for, others there are not looked
  // for.
  __device__ candidates(candidate_room<Bits, Index> const& room, candidate_counts& counts,
                        rank_order<Bits> const& order, Bits threshold, unsigned enough, Spill spill)
      : room_(room),
        counts_(counts),
        order_(order),
        threshold_(threshold),
        enough_(enough),
        reach_(bit_ranges<Bits>::at_least(order, threshold)),
        spill_(spill) {}

  // The batch's element i has the index index(i). All lanes of a warp call together.
  template <class Batch, class At>
  __device__ void take(Batch const& x, At index) {
    // Of narrow elements it takes less to know that none is wanted than which ones are.
    if constexpr (sizeof(Bits) == 1)
      if (!__any_sync(~0u, any_reaches<Batch::items>(reach_, x.x))) return;
    unsigned found = 0;
#pragma unroll
    for (int i = 0; i < Batch::items; ++i)
      if (reach_.has(x.x[i])) found |= 1u << i;
    found &= x.live;
    // Few are taken one at a time, with little code; many at once.
    unsigned const count = warp::all_reduce(unsigned(__popc(found)), plus{});
    if (count > unsigned(Batch::items)) return take_many(x, found, index);
    if (count == 0) return;
    unsigned ties = 0;
#pragma unroll 1
    for (; found; found &= found - 1) {
      int const i = __ffs(int(found)) - 1;
      Bits const key = order_(element(x, i));
      if (key > threshold_) {
        put(atomicAdd(&counts_.above, 1u), key, Index(index(i)));
      } else {
        ties = atomicAdd(&counts_.ties, 1u);
        if (ties < room_.ties)
          room_.tied[ties] = Index(index(i));
        else
          atomicMax(&counts_.first_tie, ~unsigned(index(i)));
      }
    }
    leave_ties(ties);
  }
  // Whether the warp need not look at anything else.
  __device__ bool is_done() const { return is_done_; }

 private:
  __device__ void put(unsigned at, Bits key, Index index) {
    if (at < room_.above)
      room_.keys[at] = key, room_.indices[at] = index;
    else
      spill_(key, index);
  }

  // By a warp, of which some lane has seen so many.
  __device__ void leave_ties(unsigned ties) {
    if (!__any_sync(~0u, ties > enough_ && ties > room_.ties)) return;
    is_done_ = threshold_ == order_.best();
    if (!is_done_) reach_ = bit_ranges<Bits>::at_least(order_, Bits(threshold_ + 1));
  }

  template <class Batch, class At>
  __device__ void take_many(Batch const& x, unsigned found, At index) {
    Bits key[Batch::items];
    unsigned above = 0;
#pragma unroll
    for (int i = 0; i < Batch::items; ++i) {
      key[i] = order_(x.x[i]);
      if (key[i] > threshold_) above |= 1u << i;
    }
    above &= found;
    unsigned ties = found & ~above;
    // The two counts in half a word each.
    unsigned const mine = unsigned(__popc(above)) | unsigned(__popc(ties)) << 16;
    unsigned const through = warp::inclusive_scan(mine, plus{});
    unsigned above_at = 0, ties_at = 0;
    if (threadIdx.x % 32 == 31) {
      if (through & 0xffff) above_at = atomicAdd(&counts_.above, through & 0xffff);
      if (through >> 16) ties_at = atomicAdd(&counts_.ties, through >> 16);
    }
    bool const fit = warp::broadcast(above_at + (through & 0xffff), 31) <= room_.above;
    above_at = warp::broadcast(above_at, 31) + ((through - mine) & 0xffff);
    ties_at = warp::broadcast(ties_at, 31) + ((through - mine) >> 16);
    if (fit) {
#pragma unroll
      for (int i = 0; i < Batch::items; ++i)
        if (above >> i & 1) {
          // Of narrow elements there are so many that registers for their keys would be spilled.
          room_.keys[above_at] = sizeof(Bits) < 4 ? order_(x.x[i]) : key[i];
          room_.indices[above_at++] = Index(index(i));
        }
    } else {
#pragma unroll 1
      for (; above; above &= above - 1, ++above_at) {
        int const i = __ffs(int(above)) - 1;
        put(above_at, order_(element(x, i)), Index(index(i)));
      }
    }
#pragma unroll 1
    for (; ties && ties_at < room_.ties; ties &= ties - 1, ++ties_at)
      room_.tied[ties_at] = Index(index(__ffs(int(ties)) - 1));
    if (ties) atomicMax(&counts_.first_tie, ~unsigned(index(__ffs(int(ties)) - 1)));
    leave_ties(ties_at);
  }

  // x.x[i], all of which stay in registers.
  template <class Batch>
  __device__ static Bits element(Batch const& x, int i) {
    Bits found = x.x[0];
#pragma unroll
    for (int j = 1; j < Batch::items; ++j)
      if (j == i) found = x.x[j];
    return found;
  }

  candidate_room<Bits, Index> room_;
  candidate_counts& counts_;
  rank_order<Bits> const& order_;
  Bits threshold_;
  unsigned enough_;
  bit_ranges<Bits> reach_;
  Spill spill_;
  bool is_done_ = false;
};

}  // namespace tally::device
