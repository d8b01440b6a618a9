// SPDX-License-Identifier: Apache-2.0
//
// A warp selects from a row that it reads once: what may be among the best is put aside, and when
// there is no room for more, cut down to the k best so far.
//
// A sample guesses where the best end (sample.cuh says how), so that most rows are never cut but at
// their end. The guess is not trusted: if fewer than k reach it, the row is read again without one.
#pragma once

#include <cmath>

#include "tally/device/rows/row.cuh"
#include "tally/device/top_k/select/reach.cuh"
#include "tally/device/top_k/select/warp_list.cuh"

namespace tally::device {

// The groups of a warp's sample are its lanes, each of which looks at some vectors.
struct warp_sample {
  unsigned looks;  // vectors a lane, a power of two
  unsigned rank;   // the guess is so many-th of the lanes' best, counted from 1; 0: no guess

  // Of the k best of n elements. It is too high in one of some 1000 rows, since that only costs
  // another read of a row that is likely to be in a cache.
  TALLY_FN warp_sample(unsigned k, unsigned n, unsigned each, unsigned most) : looks(most) {
    float const share = float(k) / float(n);
    for (;; looks /= 2) {
      float none = 1 - share;
      for (unsigned m = each * looks; m > 1; m /= 2) none *= none;
      float const mean = 32 * (1 - none);
      rank = unsigned(mean + 3 * std::sqrt(mean * none) + 2);
      if (rank <= 26 || looks == 1) break;
    }
    if (rank > 28) rank = 0;
  }
};

// What a warp has in shared memory: room for so many entries and for vectors that wait.
template <class Bits>
struct warp_row_room {
  static constexpr unsigned each = row_batch<Bits>::each;
  static constexpr unsigned waiting = 32 + 32 * row_batch<Bits>::loads;

  // Of lists that are cut once they have more than `limit`, which 32 vectors may then exceed.
  TALLY_FN static std::size_t bytes(unsigned limit) {
    return (limit + 32 * each) * (sizeof(Bits) + 2) + waiting * 2;
  }
  TALLY_FN static unsigned limit(std::uint64_t k) { return unsigned(k + 31) / 32 * 128 + 128; }

  __device__ warp_row_room(unsigned char* memory, unsigned limit)
      : keys(reinterpret_cast<Bits*>(memory)),
        indices(reinterpret_cast<std::uint16_t*>(keys + (limit + 32 * each))),
        vectors(indices + (limit + 32 * each)) {}

  Bits* keys;
  std::uint16_t *indices, *vectors;
};

template <class Row>
class warp_selection {
 public:
  using bits = typename Row::bits;
  static constexpr unsigned each = row_batch<bits>::each, loads = row_batch<bits>::loads;

  __device__ warp_selection(Row const& row, rank_order<bits> const& order, unsigned k,
                            warp_row_room<bits> const& room, unsigned limit)
      : places_(row.part(-std::uint64_t(row.lead()), row.lead() + row.count)),
        order_(order),
        k_(k),
        limit_(limit),
        lead_(row.lead()),
        end_(lead_ + unsigned(row.count)),
        vectors_(room.vectors),
        list_(room.keys, room.indices) {}

  // Puts up to k of the row's best into the list, 0 < k.
  __device__ warp_list<bits>& operator()() {
    prefetch(threadIdx.x % 32 * line);
    bits const lowest = order_.skips ? 1 : 0;
    bits least = guess();
    if (least < lowest) least = lowest;
#pragma unroll 1
    for (;;) {
      read(least);
      if (list_.count() >= k_ || least == lowest) break;
      least = lowest;
    }
    list_.make_keys(order_);
    if (list_.count() > k_) list_.cut(k_);
    return list_;
  }

 private:
  // What is read two batches later is on its way to L2, without a register that waits for it.
  static constexpr unsigned line = 128 / sizeof(bits);
  __device__ void prefetch(unsigned place) const {
    if (place < end_) places_.prefetch(place);
  }

  // Vectors begin at places that divide by their length; the first and the last may be in part of
  // the row. Each eight lanes look at 128 bytes of a stretch of the row, so that little more is
  // read than is looked at.
  __device__ bits guess() const {
    constexpr unsigned most = sizeof(bits) == 8 ? 8 : loads;
    warp_sample const how(k_, end_ - lead_, each, most);
    unsigned const lane = threadIdx.x % 32, first = lead_ > 0;
    unsigned const stretch = (end_ / each - first) / (4 * how.looks);
    if (how.rank == 0 || end_ / each <= first || stretch < 8) return 0;
    // Somewhere in the stretch.
    unsigned const random = (lane / 8 + 1) * 0x9e3779b1u >> 16;
    unsigned const v =
        first + lane / 8 * stretch + ((random * (stretch - 7)) >> 16 & ~7u) + lane % 8;
    bits x[most * each];
#pragma unroll
    for (unsigned j = 0; j < most; ++j)
      if (j < how.looks) places_.load(x + j * each, std::uint64_t(v + j * 4 * stretch) * each);
    bits best = 0;
#pragma unroll
    for (unsigned j = 0; j < most; ++j)
      if (j < how.looks)
#pragma unroll
        for (unsigned e = 0; e < each; ++e) {
          bits const key = order_(x[j * each + e]);
          best = key > best ? key : best;
        }
    lanes_sort<1, bits, larger> bests{{best}, {}};
    bests();
    return warp::broadcast(bests.x[0], int(how.rank) - 1);
  }
  struct larger {
    __device__ bool operator()(bits a, bits b) const { return a > b; }
  };

  // Puts aside what reaches `least`, in the order of vectors, so that what comes later loses a tie.
  __device__ void read(bits least) {
    reach_ = bit_ranges<bits>::at_least(order_, least);
    list_.clear();
    waiting_ = 0;
    __syncwarp();
    unsigned const lane = threadIdx.x % 32, vectors = (end_ + each - 1) / each;
    unsigned v = lead_ > 0;
    wait(lane == 0 && v, 0);
    bool last;
#pragma unroll 1
    do {
      bool hits[loads];
      if ((v + 32 * loads) * each <= end_) {
        if (lane < loads * 4) prefetch((v + 64 * loads) * each + lane * line);
        test(hits, v + lane);
      } else {  // all that are left, which is some in part
#pragma unroll
        for (unsigned j = 0; j < loads; ++j) hits[j] = v + j * 32 + lane < vectors;
      }
#pragma unroll
      for (unsigned j = 0; j < loads; ++j) wait(hits[j], v + j * 32 + lane);
      v += 32 * loads;
      last = v >= vectors;
      if (waiting_ >= 32 || last) last |= take_waiting(last);
    } while (!last);
  }

  // Which of the lane's vectors have anything to put aside.
  __device__ void test(bool (&hits)[loads], unsigned v) const {
    bits x[loads * each];
    std::uint64_t const i = std::uint64_t(v) * each;
#pragma unroll
    for (unsigned j = 0; j < loads; ++j) places_.load(x + j * each, i + j * 32 * each);
#pragma unroll
    for (unsigned j = 0; j < loads; ++j) hits[j] = any_reaches<int(each)>(reach_, x + j * each);
  }

  __device__ void wait(bool hit, unsigned v) {
    unsigned const votes = __ballot_sync(~0u, hit), before = (1u << threadIdx.x % 32) - 1;
    if (hit) vectors_[waiting_ + unsigned(__popc(votes & before))] = std::uint16_t(v);
    waiting_ += unsigned(__popc(votes));
  }

  // Goes through vectors that wait, 32 at a time, at the end all. Returns whether nothing that
  // comes later can be among the best.
  __device__ bool take_waiting(bool last) {
    unsigned const lane = threadIdx.x % 32;
    unsigned from = 0;
    __syncwarp();
#pragma unroll 1
    for (bool ends = false; !ends && (last || from + 32 <= waiting_);) {
      take(from);
      from += 32;
      ends = last && from >= waiting_;
      if (ends || list_.count() <= limit_) continue;
      list_.make_keys(order_);
      list_.cut(k_);
      bits const worst = list_.worst();
      if (worst == order_.best()) return true;
      reach_ = bit_ranges<bits>::at_least(order_, bits(worst + 1));
    }
    if (last) return true;
    waiting_ -= from;
    std::uint16_t const left = lane < waiting_ ? vectors_[from + lane] : 0;
    __syncwarp();
    if (lane < waiting_) vectors_[lane] = left;
    return false;
  }

  // A vector a lane.
  __device__ void take(unsigned from) {
    bool const there = from + threadIdx.x % 32 < waiting_;
    unsigned const first = there ? vectors_[from + threadIdx.x % 32] * each : 0;
    bits x[each] = {};
    unsigned live = 0;
    if (there && first >= lead_ && first + each <= end_) {
      places_.load(x, first);
      live = ~0u;
    } else if (there) {
#pragma unroll
      for (unsigned e = 0; e < each; ++e)
        if (first + e >= lead_ && first + e < end_) x[e] = places_[first + e], live |= 1u << e;
    }
#pragma unroll
    for (unsigned e = 0; e < each; ++e)
      list_.add(x[e], first + e - lead_, (live >> e & 1) && reach_.has(x[e]));
  }

  Row const places_;  // the row from the begin of its first vector, which may be before it
  rank_order<bits> const& order_;
  unsigned const k_, limit_, lead_, end_;
  std::uint16_t* const vectors_;
  unsigned waiting_ = 0;
  warp_list<bits> list_;
  bit_ranges<bits> reach_;
};

}  // namespace tally::device
