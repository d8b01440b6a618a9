// SPDX-License-Identifier: Apache-2.0
//
// The keys of a short row, which a warp has in registers: the one at a rank is found by halving the
// range in which it is, by counts.
#pragma once

#include "tally/cuda/instructions.cuh"
#include "tally/device/rows/row.cuh"
#include "tally/exact/rank_order.hpp"
#include "tally/warp/reduce.cuh"

namespace tally::device {

inline constexpr int warps_of_short_rows = 8;  // of a block
// Of a multiprocessor, which has registers for so many.
template <int Each>
inline constexpr int blocks_of_short_rows = Each == 32 ? 2 : 4;
inline constexpr unsigned longest_row_of_a_warp = 1024;

// A key, and how many of a row's are at least this.
template <class Word>
struct counted_key {
  Word key;
  unsigned reach;
};

// The keys of a row in the lanes' registers: that of element j * 32 + lane is a lane's j-th. Places
// without an element have the key 0. All lanes of the warp call together, with the same arguments.
template <class Bits, int Each>
class warp_keys {
 public:
  using word = std::conditional_t<sizeof(Bits) == 8, std::uint64_t, std::uint32_t>;

  template <class Row>
  __device__ void read(Row const& row, rank_order<Bits> const& order) {
    read(row, order, key_);
    above_0_ = reach(1);
    least_ = least_from(1), best_ = best_below(0);
  }
  template <class Row>
  __device__ static void read(Row const& row, rank_order<Bits> const& order, word (&keys)[Each]) {
    unsigned const lane = threadIdx.x % 32;
    int const rest = int(row.count) - int(lane);
    Bits x[Each];
#pragma unroll
    for (int j = 0; j < Each; ++j)
      x[j] = j * 32 < rest ? row[std::uint64_t(j * 32) + lane] : Bits(0);
#pragma unroll
    for (int j = 0; j < Each; ++j) {
      word const key = order(x[j]);
      keys[j] = j * 32 < rest ? key : 0;
    }
  }
  // How many keys are not 0, which of floats is that of NaNs.
  __device__ unsigned above_0() const { return above_0_; }

  // The key at rank k, counted from 1, which is always from `low` to `high`.
  __device__ counted_key<word> at(unsigned k) const {
    if (k > above_0_) return {0, ~0u};  // an integer's: behind it are no others
    word low = least_, high = best_;
    unsigned reached = above_0_;
#pragma unroll 1
    while (low < high && reached != k) {
      word const middle = high - (high - low) / 2;
      if (unsigned const count = reach(middle); count >= k)
        low = middle, reached = count;
      else
        high = middle - 1;
    }
    return {reached == k ? least_from(low) : low, reached};
  }
  // The key at the rank behind that.
  __device__ word behind(counted_key<word> const& at, unsigned k) const {
    return at.reach > k ? at.key : best_below(at.key);
  }
  // The index of the element at rank k, which has this key, of a row of so many.
  __device__ unsigned index_of(word key, unsigned k, unsigned size) const {
    unsigned const lane = threadIdx.x % 32;
    unsigned above = 0, index = 0;
#pragma unroll
    for (int j = 0; j < Each; ++j) above += key_[j] > key;
    int left = int(k - warp::all_reduce(above, plus{}));
#pragma unroll
    for (int j = 0; j < Each; ++j) {
      bool const is_equal = key_[j] == key && j * 32 + lane < size;
      unsigned const votes = __ballot_sync(~0u, is_equal);
      int const through = __popc(votes & (~0u >> (31 - lane)));
      unsigned const here = __ballot_sync(~0u, is_equal && through == left);
      if (here) index = unsigned(j * 32 + __ffs(int(here)) - 1);
      left -= __popc(votes);
    }
    return index;
  }

 private:
  // How many keys are at least this, which is not 0.
  __device__ unsigned reach(word least) const {
    if constexpr (Each == 1) {
      return unsigned(__popc(__ballot_sync(~0u, key_[0] >= least)));
    } else {
      unsigned mine = 0;
#pragma unroll
      for (int j = 0; j < Each; ++j) mine = plus_carry(mine, key_[j], word(0) - least);
      return warp::all_reduce(mine, plus{});
    }
  }
  // The least key from this one on, if there is any: others wrap around, to beyond it.
  __device__ word least_from(word from) const {
    word least = ~word(0);
#pragma unroll
    for (int j = 0; j < Each; ++j) least = smaller{}(least, key_[j] - from);
    return warp::all_reduce(least, smaller{}) + from;
  }
  // The best key below this one, or of all if it is 0.
  __device__ word best_below(word end) const {
    word best = 0;
#pragma unroll
    for (int j = 0; j < Each; ++j) best = larger{}(best, key_[j] - end);
    return warp::all_reduce(best, larger{}) + end;
  }

  word key_[Each];
  word least_, best_;  // of those that are not 0
  unsigned above_0_;
};

}  // namespace tally::device
