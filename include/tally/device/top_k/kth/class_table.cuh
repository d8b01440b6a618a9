// SPDX-License-Identifier: Apache-2.0
//
// Which class an element is in, from a table of all values of its upper two bytes. Where classes
// begin and end where such values do, that takes fewer instructions than a search (classifier.cuh).
#pragma once

#include "tally/cuda/launch.cuh"
#include "tally/device/top_k/kth/class_memory.cuh"
#include "tally/exact/rank_order.hpp"

namespace tally::device {

inline constexpr unsigned table_bytes = 1 << 16;

// Elements of one value of the upper two bytes: the keys of the numbers among them, from `low` to
// `high`. Those of both zeros are one, since zeros have one key.
template <class Bits>
struct prefix_keys {
  static constexpr int below = 8 * int(sizeof(Bits)) - 16;
  Bits low, high;

  // Of an element.
  __device__ prefix_keys(rank_order<Bits> const& order, Bits element) {
    Bits const least = Bits(element >> below << below), rest = Bits((Bits(1) << below) - 1);
    low = high = order(least);
    grow(order, least, rest);
    if (order.sign != 0 && Bits(least & Bits(~order.sign)) == 0)
      grow(order, Bits(least ^ order.sign), rest);
  }

 private:
  __device__ void grow(rank_order<Bits> const& order, Bits least, Bits rest) {
    Bits const most = Bits(least | rest);
    if (order.sign != 0 && Bits(most & Bits(~order.sign)) > order.infinity) return;  // NaNs
    Bits const a = order(least), b = order(most);
    low = a < low ? a : low, low = b < low ? b : low;
    high = a > high ? a : high, high = b > high ? b : high;
  }
};

template <class Bits>
class class_table {
 public:
  // By all threads of a block. class_of(key) tells a class of numbers, is_wanted(c) of a class.
  template <class ClassOf, class IsWanted>
  __device__ class_table(rank_order<Bits> const& order, ClassOf class_of, IsWanted is_wanted)
      : sign_(order.sign), infinity_(order.infinity) {
    auto const entry_of_key = [&](Bits key) {
      unsigned const c = class_of(key);
      return 2 * c + is_wanted(c);
    };
    auto const entry = [&](unsigned prefix) {
      Bits const least = Bits(Bits(prefix) << below), magnitude = Bits(least & Bits(~sign_));
      if (sign_ == 0 || magnitude < infinity_) return entry_of_key(order(least));
      if (below == 0 && magnitude == infinity_) return entry_of_key(order(least));
      // An infinity and NaNs that begin as it does are to be looked at one by one.
      return 2 * class_of_nans + (magnitude == infinity_);
    };
    if (sign_ != 0)
      for (int i = 0; i < 2; ++i)
        infinite_[i] = entry_of_key(order(Bits(infinity_ | (i ? sign_ : Bits(0)))));
    // Sixteen neighbours are alike if the first and the last are.
    for (unsigned first = 16 * threadIdx.x; first < table_bytes; first += 16 * blockDim.x) {
      unsigned const a = entry(first), b = entry(first + 15);
      for (unsigned i = 0; i < 4; ++i) {
        unsigned word = a * 0x01010101u;
        if (a != b) {
          word = 0;
          for (unsigned j = 0; j < 4; ++j) word |= entry(first + 4 * i + j) << 8 * j;
        }
        reinterpret_cast<unsigned*>(table())[first / 4 + i] = word;
      }
    }
    __syncthreads();
  }

  __device__ unsigned class_of(Bits x) const { return table()[x >> below] / 2; }

  // Counts what a thread has loaded. Returns which of them are wanted, or to be looked at.
  template <class Batch>
  __device__ unsigned count(Batch const& x) const {
    constexpr int some = Batch::items < 8 ? Batch::items : 8;
    auto* const counts = counts_of_lane();
    unsigned found = 0;
#pragma unroll
    for (int j = 0; j < Batch::items; j += some) {
      unsigned entry[some];
#pragma unroll
      for (int i = 0; i < some; ++i) entry[i] = table()[x.x[j + i] >> below];
#pragma unroll
      for (int i = 0; i < some; ++i) {
        atomicAdd(counts + entry[i] * warp_size, 1u);
        found = __funnelshift_r(found, entry[i], 1);
      }
    }
    return Batch::items == 32 ? found : found >> (32 - Batch::items);
  }
  // Whether an element that count() has told of is wanted. Infinities and NaNs are counted here.
  __device__ bool keeps(Bits x) const {
    Bits const magnitude = Bits(x & Bits(~sign_));
    if (below == 0 || sign_ == 0 || magnitude < infinity_) return true;
    unsigned const entry = magnitude > infinity_ ? 2 * class_of_nans : infinite_[(x & sign_) != 0];
    atomicAdd(counts_of_lane() + entry * warp_size, 1u);
    return entry % 2;
  }

 private:
  static constexpr int below = prefix_keys<Bits>::below;
  __device__ static unsigned char* table() { return dynamic_shared<unsigned char>(); }

  Bits sign_, infinity_;
  unsigned infinite_[2] = {};  // entries of +inf and -inf
};

}  // namespace tally::device
