// SPDX-License-Identifier: Apache-2.0
//
// How blocks share what they read: a vector a thread and load, several loads at once.
#pragma once

#include "tally/device/sources.cuh"

namespace tally::device {

// A source cut for the blocks of a launch, by the host: whole vectors, and what lies before and
// behind them, a few single elements. A row is a vector for each thread of a block; each block has
// as many rows as the next, or one more.
struct cut {
  std::uint64_t vectors;
  unsigned head, tail;  // elements
  unsigned share, extra;
  bool aligned;  // or vectors are anywhere, and a vector is left on either side of them
};

template <class Source>
cut cut_for(Source const& from, std::uint64_t n, unsigned blocks, unsigned threads) {
  constexpr std::uint64_t each = Source::each;
  std::uint64_t head = from.head();
  bool const aligned = from.is_aligned(head);
  if (!aligned) head += each;
  if (head > n) head = n;
  std::uint64_t vectors = (n - head) / each;
  if (!aligned && vectors > 0) --vectors;
  std::uint64_t const rows = (vectors + threads - 1) / threads;
  return {vectors,
          unsigned(head),
          unsigned(n - head - vectors * each),
          unsigned(rows / blocks),
          unsigned(rows % blocks),
          aligned};
}

// A thread's way through the rows of its block, some vectors at a time. Blocks are one-dimensional.
template <class Source>
class row_reader {
 public:
  using batch_type = typename Source::template batch_type<Source::loads>;

  __device__ row_reader(Source const& source, cut const& c)
      : source_(source), aligned_(c.aligned), at_(threadIdx.x) {
    bool const more = blockIdx.x < c.extra;
    std::uint64_t const row = std::uint64_t(c.share) * blockIdx.x + (more ? blockIdx.x : c.extra);
    std::uint64_t const first = row * blockDim.x, left = c.vectors - first;
    first_ = c.head + first * Source::each;
    source_ = source.from(first_);
    unsigned const whole = (c.share + more) * blockDim.x;
    count_ = first >= c.vectors ? 0 : left < whole ? unsigned(left) : whole;
  }

  __device__ bool done() const {
    return at_ - threadIdx.x >= count_;
  }  // the same in the whole block

  // The next vectors, zeros for what there is not. Bit j of the answer tells whether there is the
  // j-th.
  __device__ unsigned load(batch_type& x) const {
    unsigned live = 0;
#pragma unroll
    for (int j = 0; j < Source::loads; ++j) {
      unsigned const v = at_ + j * blockDim.x;
      if (v < count_) {
        if (!Source::may_shift || aligned_)
          source_.load(x, j, v);
        else
          source_.load_anywhere(x, j, v);
        live |= 1u << j;
      } else {
        x.clear(j);
      }
    }
    return live;
  }
  __device__ void advance() { at_ += Source::loads * blockDim.x; }

  // The index of the element k of what was read.
  __device__ std::uint64_t index(int k) const {
    constexpr int each = Source::each;
    return first_ + std::uint64_t(at_ + k / each * blockDim.x) * each + k % each;
  }

 private:
  Source source_;
  bool aligned_;
  std::uint64_t first_;  // the index of the block's first element
  unsigned at_, count_;  // vectors of the block: the thread's next one, and how many there are
};

}  // namespace tally::device
