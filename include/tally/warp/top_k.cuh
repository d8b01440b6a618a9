// SPDX-License-Identifier: Apache-2.0
//
// The best of what the lanes of a group pass (shuffle.cuh says what that is), in order. All lanes
// of a group call together, none may be missing.
#pragma once

#include <cstdint>

#include "tally/exact/order_key.hpp"
#include "tally/warp/shuffle.cuh"

namespace tally {

// A value and where it was.
template <class T, class Index = std::uint32_t>
struct entry {
  using value_type = T;
  using index_type = Index;
  T value;
  Index index;
};

// Which of two entries comes first in a top-k: every pair of different indices has an order, so a
// selection does not depend on who saw what when. All NaNs are equal, and larger than +inf; -0.0
// equals +0.0; of equal values the one of the lower index is first. An order of one's own for any
// type of entry is a callable like this, strict and total.
struct larger_first {
  template <class T, class Index>
  TALLY_FN bool operator()(entry<T, Index> const& a, entry<T, Index> const& b) const {
    auto const x = rank_key(a.value), y = rank_key(b.value);
    return x != y ? x > y : a.index < b.index;
  }
};
struct smaller_first {
  template <class T, class Index>
  TALLY_FN bool operator()(entry<T, Index> const& a, entry<T, Index> const& b) const {
    auto const x = rank_key(a.value), y = rank_key(b.value);
    return x != y ? x < y : a.index < b.index;
  }
};

namespace warp {

namespace detail {

// One step of a sorting network: of the two lanes whose numbers differ in `flip`, the lower one
// keeps the entry that is first, or the last one where `reversed`.
template <int Width, class Entry, class First>
__device__ Entry compare_exchange(Entry x, int flip, bool reversed, First first) {
  Entry const other = exchange<Width>(x, flip);
  bool const wants_first = ((lane<Width>() & flip) == 0) != reversed;
  return first(other, x) == wants_first ? other : x;
}

// Sorts a group whose entries rise and then fall in order, or fall and then rise.
template <int Width, class Entry, class First>
__device__ Entry merge(Entry x, bool reversed, First first) {
  for (int flip = Width / 2; flip > 0; flip /= 2)
    x = compare_exchange<Width>(x, flip, reversed, first);
  return x;
}

}  // namespace detail

// The group's entries in order, the first one in lane 0 (Batcher's bitonic sort, 1968).
template <int Width = warp_size, class Entry, class First>
__device__ Entry sort(Entry x, First first) {
  for (int run = 2; run <= Width; run *= 2) {
    bool const reversed = run < Width && (lane<Width>() & run);
    for (int flip = run / 2; flip > 0; flip /= 2)
      x = detail::compare_exchange<Width>(x, flip, reversed, first);
  }
  return x;
}

// The first k of all entries that a group passes, call after call, 0 < k <= Width:
//
//   tally::warp::running_top_k<float> best(k);
//   for (unsigned i = lane; i < n; i += 32) best.add({x[i], i});   // by all lanes: n % 32 == 0
//   if (lane < best.count()) out[lane] = best.mine();
//
// A call costs a vote where none of its entries is better than the k-th so far.
template <class T, class Index = std::uint32_t, class First = larger_first, int Width = warp_size>
class running_top_k {
 public:
  using entry_type = entry<T, Index>;

  __device__ explicit running_top_k(int k, First first = {}) : first_(first), k_(k) {}

  // Takes the lane's entry, if it has one: `live`.
  __device__ void add(entry_type x, bool live = true) {
    bool const better = live && (count_ < k_ || first_(x, last_));
    unsigned const votes =
        __ballot_sync(detail::members<Width>(), better) & detail::members<Width>();
    if (votes == 0) return;
    take({x, better}, __popc(votes));
  }

  // How many there are: k, or as many as there were entries.
  __device__ int count() const { return count_; }
  // In lane i < count() the i-th of them.
  __device__ entry_type mine() const { return mine_; }
  // The one at place `rank` < count(), in all lanes.
  __device__ entry_type at(int rank) const { return broadcast<Width>(mine_, rank); }

 private:
  struct slot {
    entry_type x;
    bool there;
  };
  struct slots_first {
    First first;
    __device__ bool operator()(slot const& a, slot const& b) const {
      return a.there && (!b.there || first(a.x, b.x));
    }
  };

  // The better half of two sorted runs is each lane's better one of a run and the other reversed.
  __device__ void take(slot x, int more) {
    slots_first const first{first_};
    slot const sorted = sort<Width>(x, first);
    slot const reversed = broadcast<Width>(sorted, Width - 1 - lane<Width>());
    slot const held{mine_, lane<Width>() < count_};
    slot const best = detail::merge<Width>(first(reversed, held) ? reversed : held, false, first);
    mine_ = best.x;
    count_ = count_ + more < k_ ? count_ + more : k_;
    last_ = broadcast<Width>(mine_, count_ - 1);
  }

  First first_;
  int k_, count_ = 0;
  entry_type mine_{}, last_{};
};

}  // namespace warp
}  // namespace tally
