// SPDX-License-Identifier: Apache-2.0
//
// The keys at several ranks of a long row by one read, by a team of blocks. A sample brackets each
// rank (R. W. Floyd and R. L. Rivest, "Expected time bounds for selection", 1975); the brackets'
// ends are splitters, which cut the keys into classes. The read counts the classes and puts aside
// what lies in a bracket, among which the keys are then found digit by digit (select/ranks.cuh). A
// key that many elements have is a class of its own, and none of them is put aside. What the sample
// tells is not trusted: the counts say in which class each rank is, and one that is in no bracket
// is found otherwise.
#pragma once

#include <cmath>

#include "tally/device/rows/team_reduce.cuh"
#include "tally/device/top_k/kth/chunk_turns.cuh"
#include "tally/device/top_k/kth/classifier.cuh"
#include "tally/device/top_k/select/ranks.cuh"
#include "tally/device/top_k/select/sample_keys.cuh"

namespace tally::device {

// What a bracket of a sample is, and how much lies in it.
struct bracketing {
  // Shorter rows, of so few elements a thread, are read several times sooner.
  static constexpr std::uint64_t of_thread = 64, longest = std::uint64_t(1) << 33;
  TALLY_FN static bool is_worth_it(std::uint64_t threads, std::uint64_t n) {
    return n >= of_thread * threads && n <= longest;
  }

  // How far a rank in a sample of so many is off, at most: six deviations, so that a bracket is
  // wrong once in some 10^8 where neighbours know nothing of each other, and in 1,000 where those
  // of a vector are alike.
  TALLY_FN static float margin(float share, float sample) {
    return 6 * std::sqrt(share * (1 - share) * sample) + 8;
  }
  // Of how many keys of the sample a bracket's end may be further out than that.
  TALLY_FN static std::uint32_t slack(std::uint32_t sample) { return sample / 4096; }

  // How many of n elements a warp puts aside for so many brackets, at most; it looks at the row
  // some elements here and some there.
  template <class Bits>
  TALLY_FN static std::uint64_t room(std::uint64_t n, unsigned blocks, unsigned brackets) {
    std::uint64_t const threads = std::uint64_t(blocks) * selecting_threads;
    if (!is_worth_it(threads, n)) return 0;
    auto const sample = float(looks_of_sample<Bits>(threads, n) * (vector_bytes / sizeof(Bits)));
    float const share = 2 * (margin(0.5f, sample) + float(slack(std::uint32_t(sample)))) / sample;
    auto const mean = std::uint64_t(share * float(n / (threads / 32) + 1)) * brackets;
    return mean + mean / 2 + 1024;
  }
};

inline constexpr unsigned most_brackets = 14;

// Of classes of keys that rise: how many elements are in those above, and how many of these are put
// aside.
template <class Index, unsigned Classes>
struct class_counts {
  Index above[Classes], aside_above[Classes];

  // From what the team has counted, by all threads of a block. is_aside(c): whether a class is.
  template <class IsAside>
  __device__ void add_up(std::uint64_t const* counts, IsAside is_aside) {
    unsigned const c = Classes - 1 - threadIdx.x;
    bool const is_class = threadIdx.x < Classes;
    Index const mine = is_class ? Index(__ldcg(counts + c)) : Index(0);
    Index const apart = is_class && is_aside(c) ? mine : Index(0);
    Index const through = block::inclusive_scan<selecting_threads>(mine, plus{});
    Index const through_aside = block::inclusive_scan<selecting_threads>(apart, plus{});
    if (is_class) above[c] = through - mine, aside_above[c] = through_aside - apart;
    __syncthreads();
  }
  // In which one the element at a rank is, counted from 1.
  __device__ unsigned class_of(Index rank) const {
    unsigned low = 0;
    for (unsigned step = Classes / 2; step; step /= 2)
      if (above[low + step - 1] >= rank) low += step;
    return low;
  }
};

template <class Bits, class Index>
struct splitter_board {
  rank_board<Bits> ranks;
  Bits low[most_brackets], high[most_brackets];
  float in_sample[2 * most_brackets];  // the ranks of brackets' ends
  // Keys that rise: a class begins behind each. As numbers, and past the last what nothing is
  // above.
  Bits splitter[most_classes];
  alignas(8) unsigned char number[most_classes][8];
  Bits candidate[most_classes];
  bool is_first[most_classes];  // of equal candidates
  unsigned splitters;
  Bits first[most_classes], last[most_classes];  // keys of a class
  unsigned between[2];                           // which classes are put aside, a bit each
  unsigned aside;  // how many the block has put aside, also those without room
  class_counts<Index, most_classes> classes;
  // What is looked for: its rank, counted from 1; whether it was found; its key.
  Index rank[2 * most_brackets];
  bool is_found[2 * most_brackets];
  Bits key[2 * most_brackets];
  unsigned char is_listed[2 * most_brackets];
};

// What a team has for it in global memory.
template <class Bits>
struct splitter_memory {
  rank_memory ranks;
  std::uint64_t* counts;  // of classes, of NaNs, and of warps that had no room
  Bits* aside;
  std::uint64_t room;  // of a warp

  TALLY_FN splitter_memory(arena& from, unsigned blocks, std::uint64_t length, unsigned keys)
      : splitter_memory(
            from, blocks,
            bracketing::room<Bits>(length, blocks, keys < most_brackets ? keys : most_brackets)) {}

 private:
  TALLY_FN splitter_memory(arena& from, unsigned blocks, std::uint64_t room)
      : ranks(from, room ? blocks : 1),
        counts(from.take<std::uint64_t>(room ? most_classes + 2 : 0)),
        aside(from.take<Bits>(room * blocks * warps_of_selecting)),
        room(room) {}
};

// A warp's list of elements in memory, as keys to count.
template <class Bits>
struct listed_keys {
  Bits const* list;
  unsigned count;
  rank_order<Bits> const& order;

  template <class F>
  __device__ void for_each(F f) const {
    constexpr unsigned each = 8;  // that are asked for at once
#pragma unroll 1
    for (unsigned first = threadIdx.x % 32; first < count; first += 32 * each) {
      Bits x[each];
#pragma unroll
      for (unsigned j = 0; j < each; ++j)
        x[j] = first + 32 * j < count ? list[first + 32 * j] : Bits(0);
#pragma unroll
      for (unsigned j = 0; j < each; ++j) f(order(x[j]), first + 32 * j < count);
    }
  }
};

// Counts the classes of a row's elements, and puts aside those that are wanted, into the warp's
// list, as far as it has room. Returns how many these are. By all threads of a team.
//
// A function of its own, which needs all registers, and has all that it reads in them.
template <class Row, class Index, class Numbers>
__device__ __noinline__ unsigned classify(Row const row, unsigned rank, unsigned blocks,
                                          classifier<Numbers> const how,
                                          typename Row::bits* const list, std::uint64_t room,
                                          std::uint64_t* counts) {
  using bits = typename Row::bits;
  using reading = stretch<Row, Index, sizeof(bits) == 2 ? 1 : 2>;
  using batch = typename reading::batch;
  reading const all(row, 0, 1);
  constexpr Index of_batch = 32 * batch::items, of_pair = 2 * of_batch;
  Index const pairs = (all.end() + of_pair - 1) / of_pair;
  unsigned const lane = threadIdx.x % 32, before = (1u << lane) - 1;
  chunk_turns<Index> const turns(rank, blocks);
  auto const first_of = [&](Index pair) { return pair * of_pair + lane * batch::each; };
  Index at = turns.take(), next = turns.take();
  unsigned count = 0, nans = 0;
  batch x = all.load(first_of(at));
#pragma unroll 1
  while (at < pairs) {
    // One batch is on its way while the other is looked at.
    batch const y = all.load(first_of(at) + of_batch);
    unsigned found = how.count(x, nans) & x.live;
    x = all.load(first_of(next));
    found |= (how.count(y, nans) & y.live) << batch::items;
#pragma unroll 1
    while (unsigned const votes = __ballot_sync(~0u, found != 0)) {
      unsigned const to = count + unsigned(__popc(votes & before));
      if (found && to < room) list[to] = row[all.index(first_of(at), __ffs(int(found)) - 1)];
      count += unsigned(__popc(votes)), found &= found - 1;
    }
    at = next, next = turns.take();
  }
  auto const add = [&](unsigned c, std::uint64_t n) {
    __nv_atomic_fetch_add(counts + c, n, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  };
  // Places without elements were counted as if they held zeros, and NaNs as the worst.
  Index const dead = pairs * of_pair - row.count;
  if (rank == 0 && threadIdx.x == 0 && dead) add(how.class_of(bits(0)), std::uint64_t(0) - dead);
  nans = warp::all_reduce(nans, plus{});
  if (lane == 0 && nans) add(0, std::uint64_t(0) - nans), add(most_classes, nans);
  if (lane == 0 && count > room) add(most_classes + 1, 1);
  __syncthreads();
  for (unsigned c = threadIdx.x / 32; c < most_classes; c += warps_of_selecting) {
    unsigned const n = warp::all_reduce(shared_classes().counts[c * 32 + lane], plus{});
    if (lane == 0 && n) add(c, n);
  }
  return count;
}

template <class Row, class Index>
class splitter_search {
 public:
  using bits = typename Row::bits;
  using board = splitter_board<bits, Index>;

  // The counts are zeroed here; before the sample is looked at the team is to meet once.
  __device__ splitter_search(team& all, board& shared, splitter_memory<bits> const& memory,
                             Row const& row, rank_order<bits> const& order)
      : all_(all),
        shared_(shared),
        memory_(memory),
        ranks_(all, shared.ranks, memory.ranks),
        row_(row),
        order_(order),
        numbers_(order) {
    for (unsigned i = all.thread(); i < most_classes + 2; i += all.threads()) memory_.counts[i] = 0;
  }

  // Brackets places, so many, at shares share_of(0), share_of(1), ... of a row, from 0, the best,
  // to 1. Of the sample only so many keys count, the best.
  template <class Share>
  __device__ void bracket(sample_keys<Row> const& sample, std::uint32_t valid, unsigned brackets,
                          Share share_of) {
    unsigned const t = threadIdx.x, slack = bracketing::slack(sample.count());
    float* const rank = shared_.in_sample;
    // The worse end of bracket b is number 2b, the better one 2b + 1.
    if (t < 2 * brackets) {
      float const share = share_of(t / 2);
      float const margin = bracketing::margin(share, float(valid));
      rank[t] = share * float(valid) + (t % 2 ? -margin : margin);
    }
    __syncthreads();
    auto const is_there = [&](unsigned i) { return rank[i] >= 1 && rank[i] <= float(valid); };
    unsigned place = 0, ends = 0;
    bool const mine = t < 2 * brackets && is_there(t);
    for (unsigned i = 0; i < 2 * brackets; ++i) {
      ends += is_there(i);
      if (mine) place += is_there(i) && (rank[i] < rank[t] || (rank[i] == rank[t] && i < t));
    }
    if (mine) shared_.ranks.rank[place] = std::uint32_t(rank[t]);
    int const unknown = ends ? ranks_.find(ends, slack, sample) : 0;
    // A class of its own needs a splitter before it, too.
    bits before = bits(~bits(0)), at = before;
    if (t < 2 * brackets && !(t % 2)) {
      bits const low = mine ? shared_.ranks.low[place] : numbers_.worst;
      shared_.low[t / 2] = low;
      before = bits(low - 1);
      if (mine && shared_.ranks.inside[place] > slack) at = low;
    } else if (t < 2 * brackets) {
      bits const rest = unknown ? bits((bits(1) << unknown) - 1) : bits(0);
      bits const high = mine ? bits(shared_.ranks.low[place] | rest) : numbers_.best;
      shared_.high[t / 2] = high;
      at = high;
      if (mine && shared_.ranks.inside[place] > slack) before = bits(high - 1);
    }
    if (t < most_classes / 2) shared_.candidate[2 * t] = before, shared_.candidate[2 * t + 1] = at;
    __syncthreads();
    order_splitters();
    make_classes(brackets);
  }

  // Reads the row.
  __device__ void classify() {
    aside_ = with_numbers<true>(order_, [&](auto const& numbers) { return classify_as(numbers); });
    all_.meet();
    lacks_room_ = __ldcg(memory_.counts + most_classes + 1) != 0;
    shared_.classes.add_up(memory_.counts, [&](unsigned c) { return is_between(c); });
  }

  // How many NaNs the row has.
  __device__ Index nans() const { return Index(__ldcg(memory_.counts + most_classes)); }

  // Finds the keys at the ranks shared.rank[0], [1], ... of so many, in any order.
  __device__ void find(unsigned targets) {
    unsigned const t = threadIdx.x;
    __syncthreads();
    bool is_mine = false;
    Index in_list = 0;
    if (t < targets) {
      unsigned const c = shared_.classes.class_of(shared_.rank[t]);
      bool const is_one = shared_.first[c] == shared_.last[c];
      is_mine = is_between(c) && !lacks_room_;
      in_list = shared_.rank[t] - shared_.classes.above[c] + shared_.classes.aside_above[c];
      shared_.is_found[t] = is_one || is_mine, shared_.is_listed[t] = is_mine;
      shared_.key[t] = shared_.last[c];
      shared_.rank[t] = in_list;
    }
    __syncthreads();
    unsigned place = 0, listed = 0;
    for (unsigned i = 0; i < targets; ++i) {
      bool const there = shared_.is_listed[i];
      listed += there;
      if (is_mine)
        place += there && (shared_.rank[i] < in_list || (shared_.rank[i] == in_list && i < t));
    }
    if (is_mine) shared_.ranks.rank[place] = std::uint32_t(in_list);
    if (listed == 0) return;
    ranks_.find(listed, 0, listed_keys<bits>{list(), aside_, order_});
    if (is_mine) shared_.key[t] = shared_.ranks.low[place];
    __syncthreads();
  }

 private:
  // The different candidates that are in the range of numbers, in order.
  __device__ void order_splitters() {
    unsigned const t = threadIdx.x;
    bits const worst = numbers_.worst, best = numbers_.best;
    auto const is_one = [&](unsigned i) {
      bits const key = shared_.candidate[i];
      return key >= worst && key < best;
    };
    bool mine = t < most_classes && is_one(t);
    for (unsigned i = 0; i < t && mine; ++i) mine = shared_.candidate[i] != shared_.candidate[t];
    if (t < most_classes) shared_.is_first[t] = mine;
    __syncthreads();
    unsigned place = 0, all = 0;
    for (unsigned i = 0; i < most_classes; ++i) {
      all += shared_.is_first[i];
      if (mine) place += shared_.is_first[i] && shared_.candidate[i] < shared_.candidate[t];
    }
    if (mine) shared_.splitter[place] = shared_.candidate[t];
    if (t == 0) shared_.splitters = all;
    __syncthreads();
  }

  // Which keys the classes have, and which of them are in a bracket.
  __device__ void make_classes(unsigned brackets) {
    unsigned const c = threadIdx.x, splitters = shared_.splitters;
    bool between = false;
    if (c <= splitters) {
      bits const first = c > 0 ? bits(shared_.splitter[c - 1] + 1) : numbers_.worst;
      bits const last = c < splitters ? shared_.splitter[c] : numbers_.best;
      shared_.first[c] = first, shared_.last[c] = last;
      for (unsigned b = 0; b < brackets; ++b)
        between |= first < last && shared_.low[b] <= first && last <= shared_.high[b];
    }
    unsigned const all = __ballot_sync(~0u, between);
    if (threadIdx.x < 64 && threadIdx.x % 32 == 0) shared_.between[threadIdx.x / 32] = all;
    __syncthreads();
  }
  __device__ bool is_between(unsigned c) const { return shared_.between[c / 32] >> c % 32 & 1; }

  template <class Numbers>
  __device__ unsigned classify_as(Numbers const& numbers) {
    auto& shared = shared_classes();
    auto* const splitters = shared.splitters_as<typename Numbers::number>();
    unsigned const t = threadIdx.x;
    for (unsigned i = t; i < most_classes * 32; i += selecting_threads) shared.counts[i] = 0;
    if (t < most_classes)
      splitters[t] = t < shared_.splitters ? numbers.of_key(shared_.splitter[t]) : Numbers::top();
    __syncthreads();
    classifier<Numbers> const how(numbers, shared_.splitters,
                                  std::uint64_t(shared_.between[1]) << 32 | shared_.between[0]);
    return device::classify<Row, Index, Numbers>(row_, all_.rank(), all_.blocks(), how, list(),
                                                 memory_.room, memory_.counts);
  }
  __device__ bits* list() const {
    return memory_.aside + (all_.rank() * warps_of_selecting + threadIdx.x / 32) * memory_.room;
  }

  team& all_;
  board& shared_;
  splitter_memory<bits> const& memory_;
  rank_search<bits> ranks_;
  Row const& row_;
  rank_order<bits> const& order_;
  number_keys<bits> const numbers_;
  unsigned aside_ = 0;  // how many the warp has put aside
  bool lacks_room_ = false;
};

}  // namespace tally::device
