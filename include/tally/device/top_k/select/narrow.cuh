// SPDX-License-Identifier: Apache-2.0
//
// A row made shorter by one read, for a large k: a sample tells a threshold that is most probably
// below the k-th best and not far (R. W. Floyd and R. L. Rivest, "Expected time bounds for
// selection", 1975), the read marks what is above it, and at it, a bit an element, and what is
// marked is put side by side in the order of indices. Among these the k best are found in many
// reads that take little time. What the sample tells is not trusted: what is marked is counted.
#pragma once

#include <cmath>

#include "tally/device/rows/arena.hpp"
#include "tally/device/top_k/select/gather.cuh"
#include "tally/device/top_k/select/sample.cuh"
#include "tally/exact/bit_ranges.hpp"

namespace tally::device {

// How a row of n elements is narrowed for its k best by so many threads.
struct narrowing {
  std::uint64_t looks;  // vectors in the sample
  std::uint64_t rank;   // of the threshold in it, counted from 1
  std::uint64_t slack;  // and by how much it may be more
  std::uint64_t room;   // for what is marked

  // Rows that threads hold at once are not worth it, nor those of which more than a quarter is
  // asked for, nor those whose cut is found in one read.
  template <class Bits>
  TALLY_FN static bool is_worth_it(std::uint64_t threads, std::uint64_t n, std::uint64_t k) {
    return digit_passes<Bits> > 1 && n >= threads * row_batch<Bits>::items && k <= n / 4;
  }
  template <class Bits>
  TALLY_FN static narrowing of(std::uint64_t threads, std::uint64_t n, std::uint64_t k) {
    constexpr unsigned each = row_batch<Bits>::each;
    double const share = double(k) / double(n);
    std::uint64_t looks = threads, most = n / each / 8;
    while (double(looks) * each * share < enough && looks < 4 * threads) looks *= 2;
    if (looks > most) looks = most;
    double const mean = double(looks) * each * share, deviation = std::sqrt(mean);
    // The room is for a threshold whose rank was six deviations too low.
    double const rank = mean + 6 * deviation + 8, slack = rank / 64;
    double const last = rank + slack + 6 * deviation + 16;
    return {looks, std::uint64_t(rank), std::uint64_t(slack),
            std::uint64_t(last / (double(looks) * each) * double(n))};
  }

 private:
  static constexpr double enough = 1024;  // of the best in the sample
};

// Vectors from all of a row, as a row.
template <class Row>
struct sparse_row {
  using bits = typename Row::bits;
  using batch = row_batch<bits>;

  Row row;
  std::uint64_t skipped, count;
  scattered places;

  __device__ sparse_row(Row const& whole, std::uint64_t looks)
      : row(whole),
        skipped((batch::each - whole.lead()) % batch::each),
        count(looks * batch::each),
        places((whole.count - skipped) / batch::each, looks) {}
  __device__ unsigned lead() const { return 0; }
  __device__ void load(bits* x, std::uint64_t i) const { row.load(x, first_of(i / batch::each)); }
  __device__ bits operator[](std::uint64_t i) const {
    return row[first_of(i / batch::each) + i % batch::each];
  }

 private:
  __device__ std::uint64_t first_of(std::uint64_t look) const {
    return skipped + places(look) * batch::each;
  }
};

// A bit for each element that a thread loads at once.
template <class Bits>
using marks_of = std::conditional_t<
    row_batch<Bits>::items <= 8, std::uint8_t,
    std::conditional_t<row_batch<Bits>::items <= 16, std::uint16_t, std::uint32_t>>;

// A part is what a warp loads at once, a step what it collects at once: 64 places a lane.
template <class Bits>
struct marked_parts {
  static constexpr unsigned places = 32 * row_batch<Bits>::items;  // of a part
  static constexpr unsigned of_step = 32 * 64 / places;

  TALLY_HD static constexpr std::uint64_t steps(std::uint64_t places_of_row) {
    return (places_of_row + 32 * 64 - 1) / (32 * 64);
  }
};

// What a team has for it in global memory, with room for so many that are marked.
template <class Bits, class Index>
struct narrow_memory {
  marks_of<Bits>*above, *from;  // marks of what is above the threshold, and from it on
  std::uint32_t* counts;        // of each part's two marks, in half a word each
  two_counts<Index>* before;    // each step, of what its block counted
  Bits* elements;               // that are put side by side
  Index* indices;

  TALLY_FN narrow_memory(arena& memory, std::uint64_t length, std::uint64_t room) {
    using parts = marked_parts<Bits>;
    std::uint64_t const steps = room ? parts::steps(length + row_batch<Bits>::each) : 0;
    above = memory.take<marks_of<Bits>>(steps * parts::of_step * 32);
    from = memory.take<marks_of<Bits>>(steps * parts::of_step * 32);
    counts = memory.take<std::uint32_t>(steps * parts::of_step);
    before = memory.take<two_counts<Index>>(steps);
    elements = memory.take<Bits>(room);
    indices = memory.take<Index>(room);
  }
};

// What is before the steps that a block has counted.
template <class Index>
struct narrow_board {
  two_counts<Index> before[most_groups];
};

// The narrowing of one row, by all blocks of a team.
template <class Row, class Index>
class narrowed {
 public:
  using bits = typename Row::bits;
  using reading = stretch<Row, Index>;
  using marks = marks_of<bits>;
  using counts = two_counts<Index>;  // above the threshold, and at it

  __device__ narrowed(team& all, narrow_board<Index>& shared, Row const& row,
                      narrow_memory<bits, Index> const& memory)
      : all_(all),
        shared_(shared),
        row_(row),
        whole_(row_, 0, 1),
        memory_(memory),
        steps_(Index(marked_parts<bits>::steps(whole_.end()))),
        share_((steps_ + all.threads() - 1) / all.threads()) {}

  // Marks what is above `least`, which is not 0, and from it on. Warps take turns at the parts of
  // a row, so that all find as much in a sorted one.
  __device__ void mark(rank_order<bits> const& order, bits least) {
    bool const is_highest = least == order.best();
    auto const from = bit_ranges<bits>::at_least(order, least);
    auto const above = bit_ranges<bits>::at_least(order, bits(least + !is_highest));
    Index const warps = all_.threads() / 32, parts = steps_ * parts_of_step;
    unsigned const lane = threadIdx.x % 32;
#pragma unroll 1
    for (Index at = threadIdx.x / 32 * all_.blocks() + all_.rank(); at < parts; at += warps) {
      auto const x = whole_.load(at * of_part + lane * each);
      unsigned is_from = 0, is_above = 0;
#pragma unroll
      for (int i = 0; i < reading::items; ++i) {
        if (from.has(x.x[i])) is_from |= 1u << i;
        if (above.has(x.x[i])) is_above |= 1u << i;
      }
      is_from &= x.live, is_above &= is_highest ? 0 : x.live;
      memory_.from[std::uint64_t(at) * 32 + lane] = marks(is_from);
      memory_.above[std::uint64_t(at) * 32 + lane] = marks(is_above);
      unsigned const both = unsigned(__popc(is_above)) | unsigned(__popc(is_from)) << 16;
      unsigned const of_warp = warp::all_reduce(both, plus{});
      if (lane == 0) memory_.counts[at] = of_warp;
    }
    all_.meet();
  }

  // Counts what is marked. A thread counts some steps, one behind the other.
  __device__ counts count(two_counts<Index>* totals) {
    Index const first = least_of(all_.thread() * share_, steps_);
    Index const last = least_of(first + share_, steps_);
    counts mine{0, 0}, total;
#pragma unroll 1
    for (Index step = first; step < last; ++step) mine = plus_both{}(mine, of_step(step));
    auto const through = block::inclusive_scan(mine, plus_both{}, total);
    counts before{through.above - mine.above, through.equal - mine.equal};
#pragma unroll 1
    for (Index step = first; step < last; ++step) {
      memory_.before[step] = before;
      before = plus_both{}(before, of_step(step));
    }
    if (threadIdx.x == 0) totals[all_.rank()] = total;
    all_.meet();
    bool const there = threadIdx.x < all_.blocks();
    counts const others = there ? totals[threadIdx.x] : counts{0, 0};
    auto const up_to = block::inclusive_scan(others, plus_both{}, total);
    if (there)
      shared_.before[threadIdx.x] = {up_to.above - others.above, up_to.equal - others.equal};
    __syncthreads();
    return total;
  }

  // Puts what is above the threshold, and the first `ties` of what is at it, side by side: `size`
  // elements, for which there is room.
  __device__ array_row<bits> collect(Index ties, Index size) {
    Index const warps = all_.threads() / 32, of_block = share_ * selecting_threads;
#pragma unroll 1
    for (Index step = threadIdx.x / 32 * all_.blocks() + all_.rank(); step < steps_;
         step += warps) {
      std::uint64_t const above = word(memory_.above, step);
      counts const before = plus_both{}(shared_.before[step / of_block], memory_.before[step]);
      std::uint64_t equal = 0;
      if (before.equal < ties) equal = word(memory_.from, step) & ~above;
      if (__any_sync(~0u, (above | equal) != 0)) tell_indices(step, above, equal, before, ties);
    }
    all_.meet();
#pragma unroll 4
    for (Index i = all_.thread(); i < size; i += all_.threads())
      memory_.elements[i] = row_[memory_.indices[i]];
    all_.meet();
    return {memory_.elements, size};
  }

 private:
  static constexpr int each = reading::each, loads = reading::loads;
  static constexpr Index of_part = marked_parts<bits>::places;
  static constexpr Index parts_of_step = marked_parts<bits>::of_step;

  __device__ static Index least_of(Index a, Index b) { return a < b ? a : b; }

  __device__ counts of_step(Index step) const {
    counts all{0, 0};
#pragma unroll
    for (Index p = 0; p < parts_of_step; ++p) {
      unsigned const c = memory_.counts[step * parts_of_step + p];
      all.above += c & 0xffff, all.equal += (c >> 16) - (c & 0xffff);
    }
    return all;
  }

  // The lane's 64 places of a step: of one vector of each of some neighbouring threads.
  __device__ static std::uint64_t word(marks const* of, Index step) {
    constexpr unsigned words = of_part / 64, words_of_vector = words / loads;
    constexpr unsigned threads = 64 / each;
    struct alignas(vector_bytes) several {
      marks of_thread[threads];
    };
    unsigned const lane = threadIdx.x % 32, part = lane / words, in_part = lane % words;
    unsigned const vector = in_part / words_of_vector, some = in_part % words_of_vector;
    auto const* const all = reinterpret_cast<several const*>(of);
    several const s = all[(std::uint64_t(step) * parts_of_step + part) * (32 / threads) + some];
    std::uint64_t found = 0;
#pragma unroll
    for (unsigned t = 0; t < threads; ++t)
      found |= std::uint64_t(s.of_thread[t] >> (vector * each) & ((1u << each) - 1)) << (t * each);
    return found;
  }

  // Of a step, before which there are so many, by all lanes.
  __device__ void tell_indices(Index step, std::uint64_t above, std::uint64_t equal, counts before,
                               Index ties) const {
    unsigned const mine = unsigned(__popcll(above)) | unsigned(__popcll(equal)) << 16;
    unsigned const others = warp::inclusive_scan(mine, plus{}) - mine;
    Index a = before.above + (others & 0xffff), e = before.equal + (others >> 16);
    Index const first = step * (32 * 64) + threadIdx.x % 32 * 64;
#pragma unroll 1
    for (std::uint64_t left = above | equal; left != 0; left &= left - 1) {
      int const i = __ffsll(static_cast<long long>(left)) - 1;
      bool const ahead = above >> i & 1;
      if (ahead || e < ties) memory_.indices[a + least_of(e, ties)] = whole_.index_of(first + i);
      a += ahead, e += !ahead;
    }
  }

  team& all_;
  narrow_board<Index>& shared_;
  Row const row_;
  reading const whole_;
  narrow_memory<bits, Index> const memory_;
  Index const steps_, share_;  // and how many steps a thread counts
};

}  // namespace tally::device
