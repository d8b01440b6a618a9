// SPDX-License-Identifier: Apache-2.0
//
// How blocks share what they read: a vector a thread and load, several loads at once.
#pragma once

#include "tally/device/input/sources.cuh"

namespace tally::device {

// How the host splits a source: into whole vectors, and a few elements before and behind them.
struct input_split {
  std::uint64_t vectors;
  unsigned head, tail;  // elements
  bool aligned;         // else vectors are anywhere, and a vector is left on either side of them
};

template <class Source>
input_split split_for(Source const& from, std::uint64_t n) {
  constexpr std::uint64_t each = Source::each;
  std::uint64_t head = from.head();
  bool const aligned = from.is_aligned(head);
  if (!aligned) head += each;
  if (head > n) head = n;
  std::uint64_t vectors = (n - head) / each;
  if (!aligned && vectors > 0) --vectors;
  return {vectors, unsigned(head), unsigned(n - head - vectors * each), aligned};
}

// What a thread has of a tile: some vectors at a time, of which a one-dimensional block has as many
// as threads. Blocks read tiles side by side, so that all that the device reads at a time is in one
// place, which its memory serves faster than as many places as there are blocks.
template <class Source>
class tile {
 public:
  using batch_type = typename Source::template batch_type<Source::loads>;

  // Begins with the tile of the block's own number.
  __device__ tile(Source const& source, input_split const& split)
      : split_(&split),
        first_(std::uint64_t(blockIdx.x) * size()),
        mine_(source.from(index_of(threadIdx.x))) {}

  __device__ void advance(std::uint64_t tiles) {
    first_ += tiles * size();
    mine_ = mine_.from(tiles * size() * Source::each);
  }
  // Whether the tile is behind the last one, which is the same in the whole block.
  __device__ bool is_behind() const { return first_ >= split_->vectors; }

  // Loads the vectors, and zeros for those that are not there. Bit j of the result says whether the
  // j-th is.
  __device__ unsigned load(batch_type& x) const {
    auto const left = std::int64_t(split_->vectors - first_ - threadIdx.x);
    unsigned live = 0;
#pragma unroll
    for (int j = 0; j < Source::loads; ++j) {
      unsigned const v = j * blockDim.x;
      if (left > std::int64_t(v)) {
        if (!Source::may_shift || split_->aligned)
          mine_.load(x, j, v);
        else
          mine_.load_anywhere(x, j, v);
        live |= 1u << j;
      } else {
        x.clear(j);
      }
    }
    return live;
  }

  // The index of the element k of what was read.
  __device__ std::uint64_t index(int k) const {
    constexpr int each = Source::each;
    return index_of(threadIdx.x + k / each * blockDim.x) + k % each;
  }

 private:
  input_split const* split_;
  std::uint64_t first_;  // its first vector
  Source mine_;          // from the thread's first one on

  static __device__ unsigned size() { return Source::loads * blockDim.x; }  // in vectors
  __device__ std::uint64_t index_of(unsigned v) const {
    return split_->head + (first_ + v) * Source::each;
  }
};

}  // namespace tally::device
