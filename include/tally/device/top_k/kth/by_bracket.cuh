// SPDX-License-Identifier: Apache-2.0
//
// The element at one rank of a long row, and its index, by one read, by a team of blocks: as
// several are found (by_splitters.cuh), with one bracket. What lies in it is put aside with its
// index; what equals its ends, which may be most of the row, is counted in each of many chunks, so
// that of many equal elements the one is found in its chunk.
#pragma once

#include "tally/device/rows/team_reduce.cuh"
#include "tally/device/top_k/kth/bracket_reader.cuh"
#include "tally/device/top_k/kth/by_splitters.cuh"

namespace tally::device {

template <class Bits, class Index>
struct bracket_board {
  union {
    rank_board<Bits> ranks;
    rank_board<Index> indices;
  };
  // In which chunk the element is that is looked for, and which of those equal to it.
  Index chunk;
  unsigned rank;
};

// What a team has for it in global memory, for rows of at most so many elements.
template <class Bits, class Index>
struct bracket_memory {
  rank_memory<> ranks;
  std::uint64_t room;  // of a warp
  Bits* elements;
  Index* indices;
  std::uint32_t* ends;  // each chunk's, as aside_memory has them

  TALLY_FN bracket_memory(arena& from, unsigned blocks, std::uint64_t length, unsigned)
      : bracket_memory(from, room_for(blocks, length), blocks, length) {}

 private:
  TALLY_FN static std::uint64_t room_for(unsigned blocks, std::uint64_t length) {
    auto const threads = std::uint64_t(blocks) * selecting_threads;
    bool const has_room =
        bracketing::is_worth_it(threads, length, bracketing::least_of_thread<Bits>);
    return has_room ? bracketing::room<Bits>(length, blocks, 1) : 0;
  }
  TALLY_FN bracket_memory(arena& from, std::uint64_t room, unsigned blocks, std::uint64_t length)
      : ranks(from, room ? blocks : 1),
        room(room),
        elements(from.take<Bits>(room * blocks * warps_of_selecting)),
        indices(from.take<Index>(room * blocks * warps_of_selecting)),
        ends(from.take<std::uint32_t>(room ? length / chunk_places<Bits> + 2 : 0)) {}
};

template <class Row, class Index>
class bracket_search {
 public:
  using bits = typename Row::bits;
  using board = bracket_board<bits, Index>;

  __device__ bracket_search(team& all, exchange& told, board& shared,
                            bracket_memory<bits, Index> const& memory, Row const& row,
                            rank_order<bits> const& order)
      : all_(all),
        told_(told),
        shared_(shared),
        memory_(memory),
        row_(row),
        order_(order),
        ranks_(all, shared.ranks, memory.ranks),
        whole_(row, 0, 1),
        chunks_(Index((whole_.end() + chunk_places<bits> - 1) / chunk_places<bits>)) {}

  // Calls put(bits, index) for the element at rank k, counted from 1, by one thread of the team;
  // or none(), if its key is one that the order skips. Returns false where the bracket was wrong.
  template <class Put, class None>
  __device__ bool find(Index k, Put put, None none) {
    choose_bracket(k);
    auto const counts = read();
    if (counts.lacking || k <= counts.above) return false;
    k -= counts.above;
    if (k <= counts.high) return put_equal(high_, 0, k, put, none), true;
    k -= counts.high;
    if (k <= counts.within) return put_within(unsigned(k), put, none), true;
    k -= counts.within;
    if (k <= counts.low) return put_equal(low_, 16, k, put, none), true;
    return false;
  }

 private:
  using reading = stretch<Row, Index, bracket_loads>;
  using batch = typename reading::batch;

  __device__ void choose_bracket(Index k) {
    sample_keys<Row> const sample(all_, row_, order_);
    all_.meet();
    float const size = float(sample.count()), share = float(k) / float(row_.count);
    float const margin = bracketing::margin(share, size);
    float const better = share * size - margin, worse = share * size + margin;
    bool const has_better = better >= 1, has_worse = worse <= size;
    if (threadIdx.x == 0) {
      bits const most = bits(~bits(0));
      if (has_better) shared_.ranks.look_for(0, 0, most, std::uint32_t(better));
      if (has_worse) shared_.ranks.look_for(has_better, 0, most, std::uint32_t(worse));
    }
    number_keys<bits> const numbers(order_);
    high_ = numbers.best, low_ = numbers.worst;
    unsigned const slack = bracketing::slack(sample.count());
    if (has_better || has_worse)
      ranks_.find(unsigned(has_better) + unsigned(has_worse), slack, sample);
    if (has_better) high_ = shared_.ranks.high[0];
    if (has_worse) low_ = shared_.ranks.low[has_better];
    has_common_ends_ = (has_better || has_worse) && shared_.ranks.most_inside > slack;
    // Beyond the infinities are NaNs, which are in no bracket.
    high_ = numbers.kept(high_), low_ = numbers.kept(low_);
    __syncthreads();
  }

  // Counts the row's elements, and puts aside what is in the bracket.
  __device__ bracket_counts<Index> read() {
    auto const mine = with_numbers(order_, [&]<class Numbers>(Numbers const& numbers) {
      return bracket_reader<Row, Index, Numbers>::read(
          row_, all_.rank(), all_.blocks(),
          {numbers.of_key(low_), numbers.of_key(high_), has_common_ends_, numbers},
          {elements(), indices(), unsigned(memory_.room), memory_.ends});
    });
    aside_ = unsigned(warp::broadcast(mine.within, 0));
    return told_.fold(all_, mine, bracket_counts<Index>{}, plus_each{}).total;
  }

  // The one at rank k among those in the bracket, of which each warp has a list. (A function of its
  // own, as the next: it holds no register while the row is read.)
  template <class Put, class None>
  __device__ __noinline__ void put_within(unsigned k, Put put, None none) {
    if (threadIdx.x == 0) shared_.ranks.look_for(0, low_, high_, k);
    ranks_.find(1, 0, listed_keys<bits, false>{elements(), aside_, order_});
    bits const key = shared_.ranks.low[0];
    unsigned const rank = shared_.ranks.rank[0], equal = shared_.ranks.inside[0];
    __syncthreads();
    if (order_.skips && key == 0) return put_none(none);
    Index only = 0;
    if (equal > 1) {
      if (threadIdx.x == 0)
        shared_.indices.look_for(0, Index(~last_index()), Index(~Index(0)), rank);
      all_.meet();  // nobody reads the counts any more
      rank_search<Index> first(all_, shared_.indices, memory_.ranks);
      all_.meet();
      first.find(1, 0, equal_keys{elements(), indices(), aside_, order_, key});
      only = Index(~shared_.indices.low[0]);
    }
    for (unsigned i = threadIdx.x % 32; i < aside_; i += 32) {
      bits const x = elements()[i];
      Index const index = indices()[i];
      if (order_(x) == key && (equal == 1 || index == only)) put(x, index);
    }
  }
  // The indices of what has a key, the first of which are the best.
  struct equal_keys {
    bits const* elements;
    Index const* indices;
    unsigned count;
    rank_order<bits> const& order;
    bits key;

    template <class F>
    __device__ void for_each(F f) const {
#pragma unroll 1
      for (unsigned i = threadIdx.x % 32; i < count; i += 32)
        f(Index(~indices[i]), order(elements[i]) == key);
    }
  };

  // The k-th of those that equal an end, whose counts are from the bit `shift` on.
  template <class Put, class None>
  __device__ __noinline__ void put_equal(bits key, int shift, Index k, Put put, None none) {
    if (order_.skips && key == 0) return put_none(none);
    Index const share = (chunks_ + all_.threads() - 1) / all_.threads();
    Index const begin = least_of(all_.thread() * share, chunks_);
    Index const end = least_of(begin + share, chunks_);
    auto const of_chunk = [&](Index c) { return __ldcg(memory_.ends + c) >> shift & 0xffff; };
    Index mine = 0;
    for (Index c = begin; c < end; ++c) mine += of_chunk(c);
    Index of_block;
    Index before = block::inclusive_scan<selecting_threads>(mine, plus{}, of_block) - mine;
    Index const others = told_.fold(all_, mine, Index(0), plus{}).before;
    if (k <= others || k > others + of_block) return;
    before += others;
    if (before < k && k <= before + mine)
      for (Index c = begin; c < end; ++c) {
        Index const here = of_chunk(c);
        if (k <= before + here) {
          shared_.chunk = c, shared_.rank = unsigned(k - before);
          break;
        }
        before += here;
      }
    __syncthreads();
    put_from_chunk(key, put);
  }
  // By one block.
  template <class Put>
  __device__ void put_from_chunk(bits key, Put put) const {
    constexpr unsigned size = unsigned(chunk_places<bits>);
    constexpr unsigned each = (size + selecting_threads - 1) / selecting_threads;
    Index const first = shared_.chunk * Index(size) + threadIdx.x * each;
    auto const is_equal = [&](unsigned i) {
      Index const place = first + i, index = whole_.index_of(place);
      return threadIdx.x * each < size && place < whole_.end() && index < row_.count &&
             order_(row_[index]) == key;
    };
    unsigned mine = 0;
    for (unsigned i = 0; i < each; ++i) mine += is_equal(i);
    unsigned const before = block::inclusive_scan<selecting_threads>(mine, plus{}) - mine;
    unsigned const rank = shared_.rank;
    if (rank <= before || rank > before + mine) return;
    unsigned left = rank - before;
    for (unsigned i = 0; i < each; ++i)
      if (is_equal(i) && --left == 0) {
        Index const index = whole_.index_of(first + i);
        return put(row_[index], index);
      }
  }
  template <class None>
  __device__ void put_none(None none) const {
    if (all_.thread() == 0) none();
  }

  __device__ std::uint64_t of_warp() const {
    return (all_.rank() * warps_of_selecting + threadIdx.x / 32) * memory_.room;
  }
  __device__ bits* elements() const { return memory_.elements + of_warp(); }
  __device__ Index* indices() const { return memory_.indices + of_warp(); }
  __device__ Index last_index() const { return Index(row_.count - 1); }
  __device__ static Index least_of(Index a, Index b) { return a < b ? a : b; }

  team& all_;
  exchange& told_;
  board& shared_;
  bracket_memory<bits, Index> const& memory_;
  Row const& row_;
  rank_order<bits> const& order_;
  rank_search<bits> ranks_;
  reading const whole_;
  Index const chunks_;
  bits low_, high_;  // the bracket's ends
  bool has_common_ends_ = false;
  unsigned aside_ = 0;  // how many the warp has put aside
};

}  // namespace tally::device
