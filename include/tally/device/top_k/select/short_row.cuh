// SPDX-License-Identifier: Apache-2.0
//
// A short row in the registers of some lanes of a warp, and which of its elements may be among the
// k best: those that reach a threshold, no more than there is room for.
#pragma once

#include "tally/device/rows/row.cuh"
#include "tally/device/top_k/select/row_words.cuh"
#include "tally/device/top_k/select/sorted_lists.cuh"
#include "tally/warp/shuffle.cuh"

namespace tally::device {

// `Lanes` lanes take turns at vectors of the row, up to `Each` elements a lane; a bit of a mask is
// a lane's element. All lanes of a warp call together, whatever the rows that they have.
template <class Bits, int Lanes, int Each>
class short_row {
 public:
  using words = row_words<Bits>;
  using word = typename words::word;
  static constexpr int each = vector_bytes / int(sizeof(Bits)), vectors = Each / each;
  static_assert(Each % each == 0 && Each <= 32);

  template <class Row>
  __device__ short_row(Row const& row, words const& order)
      : size_(unsigned(row.count)), of_worst_(order.of_worst()) {
    std::uint32_t raw[Each * sizeof(Bits) / 4];
    bool const in_vectors = row.lead() == 0 && size_ % each == 0;
    if (__all_sync(~0u, in_vectors && size_ == Lanes * Each)) {
      read(raw, [&](Bits* x, unsigned at) { row.load(x, at); });
    } else if (__all_sync(~0u, in_vectors)) {
      read(raw, [&](Bits* x, unsigned at) {
        fill(x, order.worst());
        if (at < size_) row.load(x, at);
      });
    } else {
      read(raw, [&](Bits* x, unsigned at) {
        fill(x, order.worst());
#pragma unroll
        for (int e = 0; e < each; ++e)
          if (at + e < size_) x[e] = row[at + e];
      });
    }
    order.make_keys(raw);
#pragma unroll
    for (int v = 0; v < vectors; ++v)
      order.template words_of<each>(raw + v * words_a_vector, begin_of(v), x_ + v * each);
  }

  // The index of a lane's j-th element.
  __device__ static unsigned index_of(unsigned lane, int j) {
    return (unsigned(j / each * Lanes) + lane) * each + unsigned(j % each);
  }

  // A word that K elements reach, if there are so many, and mostly few others: the K-th of the
  // largest words of so many groups.
  template <int K, int Groups>
  __device__ word threshold() const {
    constexpr int all = Groups / Lanes, groups = all < 1 ? 1 : all < Each ? all : Each;
    word best[groups < K ? K : groups];
#pragma unroll
    for (int i = 0; i < groups; ++i) {
      best[i] = x_[i];
#pragma unroll
      for (int j = i + groups; j < Each; j += groups) best[i] = larger_of(best[i], x_[j]);
    }
    sort_falling<groups>(best);
    return kth_of_lists<K, Lanes, groups>(best);
  }
  // The lane's elements whose words are no less.
  __device__ unsigned reaching(word least) const {
    unsigned low = 0, high = 0;  // two, since each carry waits for the one before it
#pragma unroll
    for (int j = Each / 2 - 1; j >= 0; --j) {
      low = twice_and_carry(low, x_[j], word(0) - least);
      high = twice_and_carry(high, x_[Each / 2 + j], word(0) - least);
    }
    unsigned const mask = low | high << Each / 2;
    if (least > of_worst_) return mask;
    return those_there() & (least == 0 ? ~0u : mask);
  }

  // The lane's largest word below `bound`, or of all where that is 0, less `bound`: of a lane that
  // has none it is less than of any other.
  __device__ word next_below(word bound) const {
    word best = 0;
#pragma unroll
    for (int j = 0; j < Each; ++j) best = larger_of(best, word(x_[j] - bound));
    return best;
  }
  // The first of the lane's elements whose word is this one, or ~0.
  __device__ unsigned first_at(word value) const {
    unsigned first = ~0u;
#pragma unroll
    for (int j = Each - 1; j >= 0; --j) first = x_[j] == value ? index_of(lane(), j) : first;
    return first;
  }

  // How many elements of a mask there are in lanes before this one, and in all.
  struct counts {
    unsigned before, all;
  };
  __device__ static counts count(unsigned mask) {
    unsigned const mine = unsigned(__popc(mask));
    unsigned through = mine;
#pragma unroll
    for (int run = 1; run < Lanes; run *= 2) {
      unsigned const before = warp::shift_up(through, run);
      if (lane() >= unsigned(run)) through += before;
    }
    return {through - mine, warp::broadcast(through, int(threadIdx.x % warp_size | (Lanes - 1)))};
  }

  // No more elements than `most` that reach the threshold, the k best among them; `count` reach it,
  // no fewer than k. A lane of a row that has no more keeps its mask.
  __device__ unsigned at_most(unsigned most, unsigned k, word threshold, unsigned mask,
                              unsigned found) const {
    word low = threshold, high = largest();
    // Most often so many are alike: then fewer than k are beyond the threshold.
    word next = low + 1;
    while (__any_sync(~0u, found > most && low < high)) {
      bool const searches = found > most && low < high;
      unsigned const reached = reaching(next), count = short_row::count(reached).all;
      if (searches && count >= k)
        low = next, mask = reached, found = count;
      else if (searches)
        high = next - 1;
      next = high - (high - low) / 2;
    }
    if (words::rank::indexed || !__any_sync(~0u, found > most)) return mask;
    unsigned const above = low == word(~word(0)) ? 0 : reaching(low + 1);
    unsigned const first = above | first_of(mask & ~above, k - count(above).all);
    return found > most ? first : mask;
  }

 private:
  static constexpr int words_a_vector = vector_bytes / 4;
  word x_[Each];
  unsigned size_;
  word of_worst_;

  __device__ static unsigned lane() { return threadIdx.x % Lanes; }
  // The index of the lane's first element of a vector.
  __device__ static unsigned begin_of(int v) { return index_of(lane(), v * each); }
  template <class Load>
  __device__ static void read(std::uint32_t* raw, Load load) {
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
      Bits x[each];
      load(x, begin_of(v));
      __builtin_memcpy(raw + v * words_a_vector, x, vector_bytes);
    }
  }
  __device__ static void fill(Bits* x, Bits value) {
#pragma unroll
    for (int e = 0; e < each; ++e) x[e] = value;
  }
  // Those that are elements of the row.
  __device__ unsigned those_there() const {
    unsigned mask = 0;
#pragma unroll 1
    for (int j = 0; j < Each; ++j) mask |= unsigned(index_of(lane(), j) < size_) << j;
    return mask;
  }
  __device__ word largest() const {
    word best = x_[0];
#pragma unroll
    for (int j = 1; j < Each; ++j) best = larger_of(best, x_[j]);
    for (int flip = 1; flip < Lanes; flip *= 2) best = larger_of(best, warp::exchange(best, flip));
    return best;
  }
  // The first of a mask's elements by their index.
  __device__ unsigned first_of(unsigned mask, unsigned wanted) const {
    unsigned first = 0, place = 0;
#pragma unroll 1
    for (int v = 0; v < vectors; ++v) {
      unsigned const of_vector = mask >> v * each & ((1u << each) - 1);
      auto const others = count(of_vector);
      unsigned at = place + others.before;
#pragma unroll
      for (int e = 0; e < each; ++e) {
        unsigned const is = of_vector >> e & 1;
        if (at < wanted) first |= is << (v * each + e);
        at += is;
      }
      place += others.all;
    }
    return first;
  }
};

}  // namespace tally::device
