// SPDX-License-Identifier: Apache-2.0
//
// The keys of a short row in falling order in a warp's registers: several of any ranks are then
// found by shuffles, where each search by counts (warp_keys.cuh) takes as long as a sort of some.
#pragma once

#include "tally/device/top_k/kth/warp_keys.cuh"
#include "tally/device/top_k/select/sorted_lists.cuh"
#include "tally/warp/shuffle.cuh"

namespace tally::device {

// Of two lanes whose registers are to be in order one after the other, `is_later` of them keeps the
// smaller ones.
template <class Word>
__device__ void keep(Word& mine, Word const& other, bool is_later) {
  if ((other > mine) != is_later) mine = other;
}

// Puts the words of all lanes of a warp in falling order, a lane's neighbours in its registers
// (K. E. Batcher, "Sorting networks and their applications", 1968: bitonic merges).
template <int Each, class Word>
__device__ void sort_over_warp(Word (&x)[Each]) {
  unsigned const lane = threadIdx.x % 32;
  sort_falling<Each>(x);
#pragma unroll 1
  for (unsigned lanes = 2; lanes <= 32; lanes *= 2) {
    // Two halves in order become one, the second turned around.
    Word other[Each];
#pragma unroll
    for (int j = 0; j < Each; ++j) other[j] = warp::exchange(x[Each - 1 - j], int(lanes - 1));
#pragma unroll
    for (int j = 0; j < Each; ++j) keep(x[j], other[j], lane & lanes / 2);
#pragma unroll 1
    for (unsigned flip = lanes / 4; flip > 0; flip /= 2)
#pragma unroll
      for (int j = 0; j < Each; ++j) keep(x[j], warp::exchange(x[j], int(flip)), lane & flip);
    sort_bitonic<Each>(x);
  }
}

// All lanes of the warp call together.
template <class Bits, int Each>
class sorted_warp_keys {
 public:
  using word = typename warp_keys<Bits, Each>::word;

  template <class Row>
  __device__ void read(Row const& row, rank_order<Bits> const& order) {
    warp_keys<Bits, Each>::read(row, order, key_);
    unsigned above = 0;
#pragma unroll
    for (int j = 0; j < Each; ++j) above += key_[j] != 0;
    above_0_ = warp::all_reduce(above, plus{});
    sort_over_warp(key_);
  }
  // How many keys are not 0, which of floats is that of NaNs.
  __device__ unsigned above_0() const { return above_0_; }

  // The key at a rank, counted from 1, which each lane has its own of.
  __device__ word at(unsigned rank) const {
    unsigned const from = (rank - 1) / Each, item = (rank - 1) % Each;
    word found = 0;
#pragma unroll
    for (int j = 0; j < Each; ++j) {
      word const there = warp::broadcast(key_[j], int(from));
      if (item == unsigned(j)) found = there;
    }
    return found;
  }

 private:
  word key_[Each];
  unsigned above_0_;
};

}  // namespace tally::device
