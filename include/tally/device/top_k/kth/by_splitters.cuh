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
#include "tally/device/top_k/kth/class_table.cuh"
#include "tally/device/top_k/kth/classifier.cuh"
#include "tally/device/top_k/kth/classify.cuh"
#include "tally/device/top_k/select/ranks.cuh"
#include "tally/device/top_k/select/sample_keys.cuh"

namespace tally::device {

// What a bracket of a sample is, and how much lies in it.
struct bracketing {
  static constexpr std::uint64_t longest = std::uint64_t(1) << 33;

  // Shorter rows, of so few elements a thread, are read once a digit sooner. Of long ones a table
  // (class_table.cuh) gains more than it takes to fill it.
  template <class Bits>
  static constexpr std::uint64_t least_of_thread = sizeof(Bits) == 8 ? 48 : 96;
  static constexpr std::uint64_t least_of_thread_for_table = 1024;
  TALLY_FN static bool is_worth_it(std::uint64_t threads, std::uint64_t n,
                                   std::uint64_t least_of_thread) {
    return n >= least_of_thread * threads && n <= longest;
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
    auto const sample = float(looks_of_sample<Bits>(threads, n) * (vector_bytes / sizeof(Bits)));
    float const share = 2 * (margin(0.5f, sample) + float(slack(std::uint32_t(sample)))) / sample;
    auto const mean = std::uint64_t(share * float(n / (threads / 32) + 1)) * brackets;
    return 2 * mean + 1024;
  }
};

inline constexpr unsigned most_brackets = 14;

// How many elements are in the classes above each, of keys that rise.
template <class Index, unsigned Classes>
struct class_counts {
  Index above[Classes];

  // From what the team has counted of the first so many classes, by all threads of a block.
  __device__ void add_up(std::uint64_t const* counts, unsigned most = Classes) {
    unsigned const c = Classes - 1 - threadIdx.x;
    bool const is_class = threadIdx.x < Classes;
    Index const mine = is_class && c < most ? Index(__ldcg(counts + c)) : Index(0);
    Index const through = block::inclusive_scan<selecting_threads>(mine, plus{});
    if (is_class) above[c] = through - mine;
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
  Bits splitter[most_classes];         // keys that rise: a class begins behind each
  Bits candidate[most_classes];
  bool is_common[2 * most_brackets];  // whether many elements may equal an end
  bool is_first[most_classes];        // of equal candidates
  unsigned splitters;
  Bits first[most_classes], last[most_classes];  // keys of a class
  unsigned between[2];                           // which classes are put aside, a bit each
  class_counts<Index, most_classes> classes;
  // What is looked for: its rank, counted from 1; whether it was found; its key.
  Index rank[2 * most_brackets];
  bool is_found[2 * most_brackets];
  Bits key[2 * most_brackets];
  bool is_listed[2 * most_brackets];
};

// What a team has for it in global memory.
template <class Bits>
struct splitter_memory {
  rank_memory<> ranks;
  std::uint64_t* counts;  // of classes, and of warps that had no room
  Bits* aside;
  std::uint64_t room;  // of a warp

  TALLY_FN splitter_memory(arena& from, unsigned blocks, std::uint64_t length, unsigned keys)
      : splitter_memory(from, blocks, room_for(blocks, length, keys)) {}

 private:
  TALLY_FN static std::uint64_t room_for(unsigned blocks, std::uint64_t length, unsigned keys) {
    auto const threads = std::uint64_t(blocks) * selecting_threads;
    if (!bracketing::is_worth_it(threads, length, bracketing::least_of_thread<Bits>)) return 0;
    return bracketing::room<Bits>(length, blocks, keys < most_brackets ? keys : most_brackets);
  }
  TALLY_FN splitter_memory(arena& from, unsigned blocks, std::uint64_t room)
      : ranks(from, room ? blocks : 1),
        counts(from.take<std::uint64_t>(room ? most_classes + 1 : 0)),
        aside(from.take<Bits>(room * blocks * warps_of_selecting)),
        room(room) {}
};

template <class Row, class Index>
class splitter_search {
 public:
  using bits = typename Row::bits;
  using board = splitter_board<bits, Index>;

  // The counts are zeroed here; before the sample is looked at the team is to meet once.
  __device__ splitter_search(team& all, board& shared, splitter_memory<bits> const& memory,
                             Row const& row, rank_order<bits> const& order, bool has_table)
      : all_(all),
        shared_(shared),
        memory_(memory),
        ranks_(all, shared.ranks, memory.ranks),
        row_(row),
        order_(order),
        numbers_(order),
        has_table_(has_table) {
    for (unsigned i = all.thread(); i <= most_classes; i += all.threads()) memory_.counts[i] = 0;
  }

  // Brackets places, so many, at shares share_of(0), share_of(1), ... of a row, from 0, the best,
  // to 1. Of the sample only so many keys count, the best.
  template <class Share>
  __device__ void bracket(sample_keys<Row> const& sample, std::uint32_t valid, unsigned brackets,
                          Share share_of, exchange& told) {
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
    bool const mine = t < 2 * brackets && is_there(t);
    unsigned const place = mine ? place_among(rank, 2 * brackets, t, is_there) : 0;
    if (mine) shared_.ranks.look_for(place, 0, bits(~bits(0)), std::uint32_t(rank[t]));
    if (unsigned const ends = unsigned(__syncthreads_count(mine))) ranks_.find(ends, slack, sample);
    bool const is_common = mine && shared_.ranks.inside[place] > slack;
    if (t < 2 * brackets && !(t % 2)) {
      shared_.low[t / 2] = mine ? shared_.ranks.low[place] : numbers_.worst;
      shared_.is_common[t] = is_common;
    } else if (t < 2 * brackets) {
      shared_.high[t / 2] = numbers_.kept(mine ? shared_.ranks.high[place] : numbers_.best);
      shared_.is_common[t] = is_common;
    }
    __syncthreads();
    uses_table_ = has_table_ && (sizeof(bits) == 2 || fits_prefixes(sample, brackets, told));
    if (sizeof(bits) == 2 || !uses_table_) make_classes(brackets, false);
  }

  // Reads the row.
  __device__ void classify() {
    for (unsigned i = threadIdx.x; i < 2 * most_classes * 32; i += selecting_threads)
      shared_classes().counts[i] = 0;
    if (uses_table_)
      aside_ = by_table();
    else
      aside_ = with_numbers<true>(order_, [&](auto const& numbers) { return by_search(numbers); });
    all_.meet();
    lacks_room_ = __ldcg(memory_.counts + most_classes) != 0;
    shared_.classes.add_up(memory_.counts, class_of_nans);
  }

  // How many NaNs the row has.
  __device__ Index nans() const { return Index(__ldcg(memory_.counts + class_of_nans)); }

  // Finds the keys at the ranks shared.rank[0], [1], ... of so many, in any order.
  __device__ void find(unsigned targets) {
    unsigned const t = threadIdx.x;
    __syncthreads();
    bool is_mine = false;
    unsigned const c = t < targets ? shared_.classes.class_of(shared_.rank[t]) : 0;
    if (t < targets) {
      bool const is_one = shared_.first[c] == shared_.last[c];
      is_mine = is_between(c) && !lacks_room_;
      shared_.is_found[t] = is_one || is_mine, shared_.is_listed[t] = is_mine;
      shared_.key[t] = shared_.last[c];
    }
    unsigned const listed = unsigned(__syncthreads_count(is_mine));
    if (listed == 0) return;
    unsigned place = 0;
    if (is_mine) {
      place =
          place_among(shared_.rank, targets, t, [&](unsigned i) { return shared_.is_listed[i]; });
      shared_.ranks.look_for(place, shared_.first[c], shared_.last[c],
                             std::uint32_t(shared_.rank[t] - shared_.classes.above[c]));
    }
    ranks_.find(listed, 0, listed_keys<bits>{list(), aside_, order_});
    if (is_mine) shared_.key[t] = shared_.ranks.low[place];
    __syncthreads();
  }

 private:
  // Where brackets begin and end where prefixes do, unless far more of the sample lies in them
  // then, as where many elements have one prefix.
  __device__ bool fits_prefixes(sample_keys<Row> const& sample, unsigned brackets, exchange& told) {
    if constexpr (sizeof(bits) != 4) {
      return false;
    } else {
      unsigned const b = threadIdx.x;
      bits exact_low = 0, exact_high = 0;
      if (b < brackets) {
        exact_low = shared_.low[b], exact_high = shared_.high[b];
        shared_.low[b] = prefix_keys<bits>(order_, order_.element_of(exact_low)).low;
        shared_.high[b] = prefix_keys<bits>(order_, order_.element_of(exact_high)).high;
      }
      __syncthreads();
      make_classes(brackets, true);
      unsigned mine = 0;
      sample.for_each(
          [&](bits key, bool is_there) { mine += is_there && is_between(class_of_key(key)); });
      unsigned const found = told.fold(all_, mine, 0u, plus{}).total;
      float const size = float(sample.count());
      float const usual = 2 * bracketing::margin(0.5f, size) * float(brackets);
      if (float(found) < 1.25f * usual + 0.01f * size) return true;
      if (b < brackets) shared_.low[b] = exact_low, shared_.high[b] = exact_high;
      __syncthreads();
      return false;
    }
  }
  __device__ unsigned class_of_key(bits key) const {
    unsigned c = 0;
    for (unsigned step = most_classes / 2; step; step /= 2)
      if (c + step <= shared_.splitters && shared_.splitter[c + step - 1] < key) c += step;
    return c;
  }

  // Classes begin where brackets do and behind these; and keys that many elements have are classes
  // of their own, unless classes are to be of whole prefixes.
  __device__ void make_classes(unsigned brackets, bool of_prefixes) {
    if (unsigned const t = threadIdx.x; t < most_classes / 2) {
      bits before = bits(~bits(0)), at = before;
      bool const is_there = t < 2 * brackets;
      bool const is_own = is_there && !of_prefixes && shared_.is_common[t];
      if (is_there && !(t % 2)) {
        before = bits(shared_.low[t / 2] - 1);
        if (is_own) at = shared_.low[t / 2];
      } else if (is_there) {
        at = shared_.high[t / 2];
        if (is_own) before = bits(at - 1);
      }
      shared_.candidate[2 * t] = before, shared_.candidate[2 * t + 1] = at;
    }
    __syncthreads();
    order_splitters();
    tell_classes(brackets);
  }
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
  __device__ void tell_classes(unsigned brackets) {
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

  __device__ unsigned by_table() {
    if constexpr (sizeof(bits) == 2 || sizeof(bits) == 4) {
      class_table<bits> const how(
          order_, [&](bits key) { return class_of_key(key); },
          [&](unsigned c) { return is_between(c); });
      return device::classify<Row, Index>(row_, all_.rank(), all_.blocks(), how, list(),
                                          memory_.room, memory_.counts);
    }
    return 0;
  }
  template <class Numbers>
  __device__ unsigned by_search(Numbers const& numbers) {
    auto* const splitters = shared_classes().splitters_as<typename Numbers::number>();
    if (unsigned const t = threadIdx.x; t < most_classes)
      splitters[t] = t < shared_.splitters ? numbers.of_key(shared_.splitter[t]) : Numbers::top();
    __syncthreads();
    classifier<Numbers> const how(numbers, shared_.splitters,
                                  std::uint64_t(shared_.between[1]) << 32 | shared_.between[0]);
    return device::classify<Row, Index>(row_, all_.rank(), all_.blocks(), how, list(), memory_.room,
                                        memory_.counts);
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
  bool const has_table_;  // whether there is memory for one
  bool uses_table_ = false;
  unsigned aside_ = 0;  // how many the warp has put aside
  bool lacks_room_ = false;
};

}  // namespace tally::device
