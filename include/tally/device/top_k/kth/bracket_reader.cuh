// SPDX-License-Identifier: Apache-2.0
//
// A row compared with a bracket, by a team of blocks: how many elements are above it, and equal to
// its ends if these are common, and which are in it.
#pragma once

#include "tally/device/rows/row.cuh"
#include "tally/device/top_k/kth/chunk_turns.cuh"
#include "tally/device/top_k/select/numbers.cuh"
#include "tally/warp/reduce.cuh"

namespace tally::device {

// A chunk is what a warp reads in a step.
inline constexpr int bracket_loads = 2;
template <class Bits>
inline constexpr std::uint64_t chunk_places = 32 * row_batch<Bits, bracket_loads>::items;

// How many elements are above a bracket, equal to its better end, within, and equal to its worse
// end; and how many warps had no room for what is within.
template <class Index>
struct bracket_counts {
  Index above, high, within, low, lacking;
};
struct plus_each {
  template <class Index>
  TALLY_FN bracket_counts<Index> operator()(bracket_counts<Index> a,
                                            bracket_counts<Index> const& b) const {
    a.above += b.above, a.high += b.high, a.within += b.within, a.low += b.low;
    a.lacking += b.lacking;
    return a;
  }
};

// A bracket's ends as numbers. Where many elements may equal an end, what does is counted; else it
// is within.
template <class Numbers>
struct number_bracket {
  typename Numbers::number worse, better;
  bool counts_ends;
  Numbers numbers;
};

// What a warp puts aside, as far as it has room, and how often the ends are in each chunk: the
// better one, and the worse one in the upper half.
template <class Bits, class Index>
struct aside_memory {
  Bits* elements;
  Index* indices;
  unsigned room;
  std::uint32_t* ends;
};

// A thread has counted what it looked at, or its warp. A function of its own, which needs all
// registers, and has all that it reads in them.
template <class Row, class Index, class Numbers>
class bracket_reader {
 public:
  using bits = typename Row::bits;

  __device__ static __noinline__ bracket_counts<Index> read(Row const row, unsigned rank,
                                                            unsigned blocks,
                                                            number_bracket<Numbers> const is,
                                                            aside_memory<bits, Index> const to) {
    return bracket_reader(row, is, to).read(rank, blocks);
  }

 private:
  using reading = stretch<Row, Index, bracket_loads>;
  using batch = typename reading::batch;
  static constexpr Index of_chunk = Index(chunk_places<bits>);

  __device__ bracket_reader(Row const& row, number_bracket<Numbers> const& is,
                            aside_memory<bits, Index> const& to)
      : row_(row), is_(is), to_(to), whole_(row, 0, 1) {}

  __device__ bracket_counts<Index> read(unsigned rank, unsigned blocks) {
    Index const chunks = (whole_.end() + of_chunk - 1) / of_chunk;
    chunk_turns<Index> const turns(rank, blocks);
    bracket_counts<Index> mine{};
    Index c = turns.take(), next = turns.take();
    batch x = whole_.load(first_of(c));
#pragma unroll 1
    while (c < chunks) {
      batch const ahead = whole_.load(first_of(next));
      Index const here = c;
      c = next, next = turns.take();
      look_at(x, here, mine);
      x = ahead;
    }
    if (threadIdx.x % 32 == 0) mine.within = count_, mine.lacking = count_ > to_.room;
    // Places without elements were compared as if they held zeros.
    if (rank == 0 && threadIdx.x == 0 && Numbers::is_above(is_.numbers.of(bits(0)), is_.better))
      mine.above -= chunks * of_chunk - row_.count;
    return mine;
  }
  __device__ static Index first_of(Index chunk) {
    return chunk * of_chunk + threadIdx.x % 32 * batch::each;
  }

  // By a warp.
  __device__ void look_at(batch const& x, Index chunk, bracket_counts<Index>& mine) {
    unsigned above = 0, found = 0;
#pragma unroll
    for (int i = 0; i < batch::items; ++i) {
      auto const v = is_.numbers.of(x.x[i]);
      above += Numbers::is_above(v, is_.better);
      if (v >= is_.worse && v <= is_.better) found |= 1u << i;
    }
    mine.above += above, found &= x.live;
    if (is_.counts_ends) found = without_ends(x, found, chunk, mine);
#pragma unroll 1
    while (unsigned const votes = __ballot_sync(~0u, found != 0)) {
      unsigned const at = count_ + unsigned(__popc(votes & ((1u << threadIdx.x % 32) - 1)));
      if (found && at < to_.room) {
        Index const index = whole_.index(first_of(chunk), __ffs(int(found)) - 1);
        to_.elements[at] = row_[index], to_.indices[at] = index;
      }
      count_ += unsigned(__popc(votes)), found &= found - 1;
    }
  }
  // Counts those that equal the ends, and returns the others.
  __device__ unsigned without_ends(batch const& x, unsigned found, Index chunk,
                                   bracket_counts<Index>& mine) const {
    unsigned low = 0, high = 0;
    if (__any_sync(~0u, found != 0)) {
#pragma unroll
      for (int i = 0; i < batch::items; ++i) {
        auto const v = is_.numbers.of(x.x[i]);
        if (v == is_.worse)
          low |= 1u << i;
        else if (v == is_.better)
          high |= 1u << i;
      }
    }
    low &= found, high &= found;
    unsigned const ends =
        warp::all_reduce(unsigned(__popc(high)) | unsigned(__popc(low)) << 16, plus{});
    if (threadIdx.x % 32 == 0)
      to_.ends[chunk] = ends, mine.high += ends & 0xffff, mine.low += ends >> 16;
    return found & ~(low | high);
  }

  Row const row_;
  number_bracket<Numbers> const is_;
  aside_memory<bits, Index> const to_;
  reading const whole_;
  unsigned count_ = 0;  // how many the warp has put aside, also those without room
};

}  // namespace tally::device
