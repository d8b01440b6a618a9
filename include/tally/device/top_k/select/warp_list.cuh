// SPDX-License-Identifier: Apache-2.0
//
// What a warp has put aside of its row, in shared memory: cut down to the best, and put in order.
#pragma once

#include "tally/device/top_k/select/ranked.cuh"
#include "tally/exact/rank_order.hpp"
#include "tally/warp/reduce.cuh"

namespace tally::device {

// Sorts `Each` numbers a lane, of which a lane's are neighbours (Batcher's bitonic sort, 1968). The
// steps within a lane need no shuffle.
template <int Each, class T, class First>
struct lanes_sort {
  T x[Each];
  First first;

  __device__ void operator()() {
    unsigned const lane = threadIdx.x % 32;
#pragma unroll
    for (int run = 2; run <= Each; run *= 2)
#pragma unroll
      for (int flip = run / 2; flip > 0; flip /= 2) within(flip, run, lane & 1);
#pragma unroll 1
    for (unsigned width = 2; width <= 32; width *= 2) {
      bool const reversed = width < 32 && (lane & width);
#pragma unroll 1
      for (unsigned flip = width / 2; flip > 0; flip /= 2) across(flip, reversed);
#pragma unroll
      for (int flip = Each / 2; flip > 0; flip /= 2) within(flip, Each, reversed);
    }
  }

 private:
  // Runs of less than a lane's numbers alternate.
  __device__ void within(int flip, int run, bool lane_reversed) {
#pragma unroll
    for (int j = 0; j < Each; ++j) {
      if (j & flip) continue;
      bool const reversed = run < Each ? (j & run) != 0 : lane_reversed;
      T const a = x[j], b = x[j | flip];
      bool const swaps = first(b, a) != reversed;
      x[j] = swaps ? b : a, x[j | flip] = swaps ? a : b;
    }
  }
  __device__ void across(unsigned flip, bool reversed) {
    bool const wants_first = ((threadIdx.x & flip) == 0) != reversed;
#pragma unroll
    for (int j = 0; j < Each; ++j) {
      T const other = warp::exchange(x[j], int(flip));
      x[j] = first(other, x[j]) == wants_first ? other : x[j];
    }
  }
};

// Elements by their bits at first, then by their keys, and the indices, which fit 16 bits. All
// lanes of a warp call together.
template <class Bits>
class warp_list {
 public:
  using key_type = std::conditional_t<sizeof(Bits) == 8, std::uint64_t, std::uint32_t>;

  __device__ warp_list(Bits* keys, std::uint16_t* indices) : keys_(keys), indices_(indices) {}

  __device__ void clear() { count_ = keyed_ = 0; }
  __device__ unsigned count() const { return count_; }
  __device__ Bits key(unsigned i) const { return keys_[i]; }
  __device__ unsigned index(unsigned i) const { return indices_[i]; }

  // Takes the element of each lane that has one.
  __device__ void add(Bits x, unsigned index, bool has) {
    unsigned const votes = __ballot_sync(~0u, has), before = (1u << threadIdx.x % 32) - 1;
    if (has) {
      unsigned const at = count_ + unsigned(__popc(votes & before));
      keys_[at] = x, indices_[at] = std::uint16_t(index);
    }
    count_ += unsigned(__popc(votes));
  }

  // Keys of what has been added as bits.
  __device__ void make_keys(rank_order<Bits> const& order) {
    __syncwarp();
#pragma unroll 1
    for (unsigned i = keyed_ + threadIdx.x % 32; i < count_; i += 32) keys_[i] = order(keys_[i]);
    keyed_ = count_;
    __syncwarp();
  }

  // Leaves only the k best of more, all of which are keys: bit for bit finds the largest key that k
  // reach; fewer bits where exactly k do.
  __device__ void cut(unsigned k) {
    key_type least = 0;
    unsigned reach = count_;
#pragma unroll 1
    for (key_type bit = highest_bit; bit && reach > k; bit >>= 1) {
      unsigned const n = count_of([=](key_type key, unsigned) { return key >= (least | bit); });
      if (n >= k) least |= bit, reach = n;
    }
    keep(least, reach > k ? last_tie(least, k) : ~0u);
  }

  // The last of some keys.
  __device__ Bits worst() const {
    key_type least = keys_[0];
#pragma unroll 1
    for (unsigned i = threadIdx.x % 32; i < count_; i += 32)
      if (keys_[i] < least) least = keys_[i];
    return Bits(warp::all_reduce(least, smaller{}));
  }

  // Up to 32 * Each keys by rank, or by index.
  template <int Each>
  __device__ void sort(bool by_rank) {
    using rank = ranked<Bits>;
    using number = typename rank::type;
    auto const first = [=](number a, number b) {
      if constexpr (sizeof(Bits) == 8)
        return by_rank ? rank::first(a, b) : rank::index(a) < rank::index(b);
      else
        return a > b;
    };
    // Of a number of 64 bits the halves change places.
    auto const turned = [=](number x) {
      if constexpr (sizeof(Bits) < 8) return by_rank ? x : x << 32 | x >> 32;
      return x;
    };
    lanes_sort<Each, number, decltype(first)> all{{}, first};
    unsigned const begin = threadIdx.x % 32 * Each;
#pragma unroll
    for (int j = 0; j < Each; ++j) {
      // Past the end, what comes after all others: no element has this index.
      bool const there = begin + j < count_;
      all.x[j] = turned(there ? rank::of(keys_[begin + j], indices_[begin + j]) : rank::of(0, ~0u));
    }
    all();
    __syncwarp();
#pragma unroll
    for (int j = 0; j < Each; ++j)
      if (begin + j < count_) {
        number const x = turned(all.x[j]);
        keys_[begin + j] = rank::key(x), indices_[begin + j] = std::uint16_t(rank::index(x));
      }
    __syncwarp();
  }

 private:
  static constexpr key_type highest_bit = key_type(1) << (8 * sizeof(Bits) - 1);

  template <class F>
  __device__ unsigned count_of(F f) const {
    unsigned n = 0;
#pragma unroll 1
    for (unsigned i = threadIdx.x % 32; i < count_; i += 32) n += f(keys_[i], i);
    return warp::all_reduce(n, plus{});
  }

  // Fewer than k keys are above `least`, and too many reach it: the index of the last that is among
  // the k best.
  __device__ unsigned last_tie(key_type least, unsigned k) const {
    unsigned const wanted = k - count_of([=](key_type key, unsigned) { return key > least; });
    unsigned last = 0xffff;
#pragma unroll 1
    for (unsigned bit = 0x8000; bit; bit >>= 1) {
      unsigned const n = count_of([=, this](key_type key, unsigned i) {
        return key == least && indices_[i] <= (last ^ bit);
      });
      if (n >= wanted) last ^= bit;
    }
    return last;
  }

  __device__ void keep(key_type least, unsigned last_tie) {
    unsigned const all = count_;
    count_ = 0;
#pragma unroll 1
    for (unsigned begin = 0; begin < all; begin += 32) {
      unsigned const i = begin + threadIdx.x % 32;
      Bits const key = i < all ? keys_[i] : Bits(0);
      unsigned const index = i < all ? indices_[i] : 0;
      __syncwarp();
      add(key, index, i < all && (key > least || (key == least && index <= last_tie)));
    }
    keyed_ = count_;
    __syncwarp();
  }

  Bits* keys_;
  std::uint16_t* indices_;
  unsigned count_ = 0, keyed_ = 0;
};

}  // namespace tally::device
