// SPDX-License-Identifier: Apache-2.0
//
// What is at one rank of a row: its key, and where it is, with nothing gathered or sorted.
#pragma once

#include "tally/device/select/agree.cuh"
#include "tally/device/select/cut.cuh"

namespace tally::device {

// Of a row's k best, which are the keys from `from` on, but of those that equal it only the first
// `ties`, unless that is 0: then all, and the k-th has the least key there is from `from` on.
template <class Bits, class Index>
struct rank_cut {
  Bits from;
  Index ties;
  Index equal;  // how many in the block's stretch equal `from`, if ties is not 0
};

// What a team that searches a row keeps in global memory, and each of its blocks in shared memory.
template <class Bits, class Index>
struct search_memory {
  static constexpr std::size_t counts = digit_passes<Bits> * std::size_t(digits);
  static constexpr std::size_t counts_bytes = (counts * sizeof(Index) + 15) / 16 * 16;
  TALLY_HD static constexpr std::size_t bytes(unsigned blocks) {
    return blocks == 1 ? 0 : counts_bytes + exchange::bytes(blocks);
  }
};

// For 0 < k <= row.count. The team has met since it last searched.
template <class Row, class Index>
__device__ rank_cut<typename Row::bits, Index> find_rank(
    team& all, digit_counts<Index>& shared, Index* counts, Row const& row,
    rank_order<typename Row::bits> const& order, Index k) {
  using bits = typename Row::bits;
  if (k == row.count) return {0, 0, 0};
  if (!all.is_alone()) {
    for (std::size_t d = all.thread(); d < search_memory<bits, Index>::counts; d += all.threads())
      counts[d] = 0;
    all.meet();
  }
  auto const at = find_cut(all, shared, counts, row, order, k);
  __syncthreads();
  if (at.ties == 0) return {bits(at.low + 1), 0, 0};
  return {at.low, at.ties, at.equal};
}

// The least key from `from` on, the greatest below, and how many equal `from`.
template <class Bits, class Index>
struct keys_near {
  Bits least, below;
  Index equal;
};
struct nearer {
  template <class Bits, class Index>
  TALLY_FN keys_near<Bits, Index> operator()(keys_near<Bits, Index> a,
                                             keys_near<Bits, Index> b) const {
    return {a.least < b.least ? a.least : b.least, a.below < b.below ? b.below : a.below,
            Index(a.equal + b.equal)};
  }
};

// The keys at a rank and at the next one, as far as there is one.
template <class Bits>
struct keys_at {
  Bits here, next;
};
template <class Row, class Index>
__device__ keys_at<typename Row::bits> find_keys(team& all, exchange& told, Row const& row,
                                                 rank_order<typename Row::bits> const& order,
                                                 rank_cut<typename Row::bits, Index> const& at) {
  using bits = typename Row::bits;
  using near = keys_near<bits, Index>;
  near const nothing{bits(~bits(0)), 0, 0};
  near mine = nothing;
  stretch<Row, Index> const part(row, all);
  part.for_tiles([&](auto const& x, auto) {
#pragma unroll
    for (int i = 0; i < part.items; ++i) {
      bits const key = order(x.x[i]);
      if (!(x.live >> i & 1)) continue;
      if (key >= at.from)
        mine.least = key < mine.least ? key : mine.least;
      else
        mine.below = key > mine.below ? key : mine.below;
    }
  });
  if (threadIdx.x == 0) mine.equal = at.equal;
  near const found = told.fold(all, mine, nothing, nearer{}).total;
  if (at.ties == 0) return {found.least, found.below};
  return {at.from, found.equal > at.ties ? at.from : found.below};
}

// The worst of a row's best, and of ties the last.
template <class Bits, class Index>
struct last_of_best {
  Bits key;
  Index index;
};
struct later {
  template <class Bits, class Index>
  TALLY_FN last_of_best<Bits, Index> operator()(last_of_best<Bits, Index> a,
                                                last_of_best<Bits, Index> b) const {
    bool const second = b.key < a.key || (b.key == a.key && a.index < b.index);
    return second ? b : a;
  }
};

// Where all that equal the k-th are among the best.
template <class Row, class Index>
__device__ last_of_best<typename Row::bits, Index> find_last(
    team& all, exchange& told, Row const& row, rank_order<typename Row::bits> const& order,
    typename Row::bits from) {
  using bits = typename Row::bits;
  using last = last_of_best<bits, Index>;
  last const nothing{bits(~bits(0)), 0};
  last mine = nothing;
  stretch<Row, Index> const part(row, all);
  part.for_tiles([&](auto const& x, auto index) {
#pragma unroll
    for (int i = 0; i < part.items; ++i) {
      bits const key = order(x.x[i]);
      if ((x.live >> i & 1) && key >= from && key <= mine.key) mine = {key, Index(index(i))};
    }
  });
  return told.fold(all, mine, nothing, later{}).total;
}

}  // namespace tally::device
