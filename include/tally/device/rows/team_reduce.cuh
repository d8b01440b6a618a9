// SPDX-License-Identifier: Apache-2.0
//
// What the blocks of a team have found, put together.
#pragma once

#include "tally/block/scan.cuh"
#include "tally/device/rows/team.cuh"

namespace tally::device {

template <class T>
struct agreed {
  T before, total;  // of the blocks before this one, and of all
};

// Global memory by which blocks tell each other what they have found: nothing for one alone.
class exchange {
 public:
  static constexpr std::size_t place_bytes = 64;
  TALLY_HD static constexpr std::size_t bytes(unsigned blocks) {
    return blocks == 1 ? 0 : 2 * blocks * place_bytes;
  }

  __device__ explicit exchange(std::byte* memory) : memory_(memory) {}

  // Folds what all threads of the team pass by an operator whose order is nobody's business. By all
  // of them; what they wrote before is then to be seen.
  template <class T, class Op>
  __device__ agreed<T> fold(team& all, T mine, T identity, Op op) {
    static_assert(sizeof(T) <= place_bytes);
    agreed<T> found{identity, identity};
    block::inclusive_scan(mine, op, found.total);
    if (all.is_alone()) return found;
    // Two halves take turns: no block writes one while another still reads it.
    T* const told = reinterpret_cast<T*>(memory_ + turn_ * all.blocks() * place_bytes);
    turn_ ^= 1;
    if (threadIdx.x == 0) told[all.rank()] = found.total;
    all.meet();
    T before = identity, total = identity;
    for (unsigned b = threadIdx.x; b < all.blocks(); b += blockDim.x) {
      T const there = told[b];
      total = op(total, there);
      if (b < all.rank()) before = op(before, there);
    }
    block::inclusive_scan(before, op, found.before);
    block::inclusive_scan(total, op, found.total);
    return found;
  }

 private:
  std::byte* memory_;
  unsigned turn_ = 0;
};

}  // namespace tally::device
