// SPDX-License-Identifier: Apache-2.0
//
// The keys at several ranks of a set at once, digit by digit from the top: radix selection in which
// ranks whose keys are in the same range share the counts. The set is what the blocks of a team
// hold, each its own part, in registers or in a list, or read again for each digit.
#pragma once

#include "tally/cuda/shared_cursor.cuh"
#include "tally/device/rows/arena.hpp"
#include "tally/device/top_k/select/cut.cuh"
#include "tally/warp/reduce.cuh"
#include "tally/warp/scan.cuh"

namespace tally::device {

// That are found together, and counts of their digits: of wide ones fewer, for which there is room.
template <class Count>
inline constexpr unsigned most_ranks = sizeof(Count) == 8 ? 16 : 32;
inline constexpr unsigned least_bins = 128;  // of a range
template <class Count>
inline constexpr unsigned rank_bins = most_ranks<Count> * least_bins;

// What the threads of a block share. Of each rank, the best first: the range in which its key is,
// its rank among the keys of this range, counted from 1, and how many these are.
template <class Bits, class Count = std::uint32_t>
struct rank_board {
  using word = std::conditional_t<sizeof(Bits) == 8, std::uint64_t, std::uint32_t>;

  alignas(16) Count bins[rank_bins<Count>];  // of each range, the best digit first
  Bits low[most_ranks<Count>], high[most_ranks<Count>];
  Count rank[most_ranks<Count>], inside[most_ranks<Count>];
  // The different ranges, the best first: where each begins, and how far it goes. Behind them are
  // zeros.
  word begin[most_ranks<Count>], span[most_ranks<Count>];
  unsigned char slot[most_ranks<Count>];  // a rank's range
  unsigned slots;
  int width;  // of the widest range, in bits
  Count most_inside;

  // Tells that the key at a rank of a range is to be found, by one thread.
  __device__ void look_for(unsigned place, Bits from, Bits to, Count rank_there) {
    low[place] = from, high[place] = to, rank[place] = rank_there, inside[place] = 0;
  }
};

// What a team has for it in global memory: the counts of a digit, which are zero when it is its
// turn.
template <class Count = std::uint32_t>
struct rank_memory {
  Count* counts;

  TALLY_FN rank_memory(arena& from, unsigned blocks)
      : counts(from.take<Count>(blocks == 1 ? 0 : turns * rank_bins<Count>)) {}
  static constexpr unsigned turns = 3;
};

// The place of number `mine` among those of `count` values that are there, when these rise.
template <class T, class IsThere>
__device__ unsigned place_among(T const* all, unsigned count, unsigned mine, IsThere is_there) {
  unsigned place = 0;
  for (unsigned i = 0; i < count; ++i)
    place += is_there(i) && (all[i] < all[mine] || (all[i] == all[mine] && i < mine));
  return place;
}

template <class Bits, class Count = std::uint32_t>
class rank_search {
 public:
  using board = rank_board<Bits, Count>;

  // All counts are zeroed here; before a search the team is to meet once.
  __device__ rank_search(team& all, board& shared, rank_memory<Count> const& memory)
      : all_(all), shared_(shared), memory_(memory) {
    if (all_.is_alone()) return;
    for (unsigned i = all_.thread(); i < memory.turns * rank_bins<Count>; i += all_.threads())
      memory_.counts[i] = 0;
  }

  // Narrows the ranges of so many ranks, which fall, and of which different ones have no key
  // together, until no more than `slack` keys, or equal ones, are left in each.
  // keys.for_each(f) calls f(key, is_there) with all lanes of a warp together, and need not call it
  // again for those of which f says that they are in no range. By all threads of the team, which
  // agree about the ranks.
  template <class Keys>
  __device__ void find(unsigned ranks, Count slack, Keys keys) {
    __syncthreads();
    if (threadIdx.x < 32) find_slots(ranks);
    do {
      __syncthreads();
      unsigned const slots = shared_.slots;
      int most = 11;
      while (slots << most > rank_bins<Count>) --most;
      int const top = shared_.width, width = top < most ? top : most;
      digit const at{top - width, width};
      count(at, keys);
      put_together(at);
      for (unsigned r = threadIdx.x / 32; r < ranks; r += selecting_threads / 32) narrow(at, r);
      __syncthreads();
      if (threadIdx.x < 32) find_slots(ranks);
      __syncthreads();
    } while (shared_.width > 0 && shared_.most_inside > slack);
  }

 private:
  using word = typename board::word;
  struct digit {
    int shift, width;  // its bits

    __device__ unsigned mask() const { return (1u << width) - 1; }
    __device__ unsigned of_slot() const { return mask() < least_bins ? least_bins : mask() + 1; }
  };

  template <class Keys>
  __device__ void count(digit at, Keys& keys) {
    unsigned const slots = shared_.slots, mask = at.mask(), all = slots * at.of_slot();
    for (unsigned i = threadIdx.x; i < all; i += selecting_threads) shared_.bins[i] = 0;
    __syncthreads();
    auto const add_if = [&](bool is_in, unsigned slot, word offset) {
      if (is_in)
        add_one(shared_.bins + slot * at.of_slot() + (mask - unsigned(offset >> at.shift)));
      return is_in;
    };
    if (slots == 1) {
      word const begin = shared_.begin[0], span = shared_.span[0];
      keys.for_each([&](Bits key, bool is_there) {
        word const offset = word(key) - begin;
        return add_if(is_there && offset <= span, 0, offset);
      });
    } else {
      keys.for_each([&](Bits key, bool is_there) {
        auto const at_slot = slot_of(key, slots);
        unsigned const slot = at_slot.from(shared_.begin);
        word const offset = word(key) - at_slot.template ahead<0>();
        return add_if(is_there && slot < slots && offset <= shared_.span[slot], slot, offset);
      });
    }
    __syncthreads();
  }
  __device__ static void add_one(Count* bin) {
    if constexpr (sizeof(Count) == 8)
      atomicAdd(reinterpret_cast<unsigned long long*>(bin), 1ull);
    else
      atomicAdd(bin, 1u);
  }
  // The first range that does not begin behind a key.
  __device__ auto slot_of(Bits key, unsigned slots) const {
    shared_cursor at(shared_.begin);
    auto const step = [&]<unsigned Step>(std::integral_constant<unsigned, Step>) {
      at.template advance_if<Step>(at.template ahead<Step - 1>() > key);
    };
    if constexpr (most_ranks<Count> > 16)
      if (slots >= 16) step(std::integral_constant<unsigned, 16>());
    if (slots >= 8) step(std::integral_constant<unsigned, 8>());
    if (slots >= 4) step(std::integral_constant<unsigned, 4>());
    if (slots >= 2) step(std::integral_constant<unsigned, 2>());
    step(std::integral_constant<unsigned, 1>());
    return at;
  }

  // Makes the block's counts those of the team.
  __device__ void put_together(digit at) {
    if (all_.is_alone()) return;
    Count* const here = memory_.counts + turn_ * rank_bins<Count>;
    turn_ = (turn_ + 1) % rank_memory<Count>::turns;
    Count* const next = memory_.counts + turn_ * rank_bins<Count>;
    unsigned const bins = shared_.slots * at.of_slot();
    for (unsigned i = threadIdx.x; i < bins; i += selecting_threads)
      if (auto const n = shared_.bins[i])
        __nv_atomic_fetch_add(here + i, n, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    for (unsigned i = all_.thread(); i < rank_bins<Count>; i += all_.threads()) next[i] = 0;
    all_.meet();
    for (unsigned i = threadIdx.x; i < bins; i += selecting_threads)
      shared_.bins[i] = __ldcg(here + i);
    __syncthreads();
  }

  // By a warp: the digit of the key at a rank, and the rank among those that have it.
  __device__ void narrow(digit at, unsigned r) {
    unsigned const lane = threadIdx.x % 32;
    Count const rank = shared_.rank[r];
    Count const* const bins = shared_.bins + shared_.slot[r] * at.of_slot();
    Count before = 0;
#pragma unroll 1
    for (unsigned first = 0; first < at.of_slot(); first += 4 * 32) {
      Count x[4], mine = 0;
#pragma unroll
      for (unsigned i = 0; i < 4; ++i) x[i] = bins[first + 4 * lane + i], mine += x[i];
      Count const all = warp::all_reduce(mine, plus{});
      if (before + all < rank) {
        before += all;
        continue;
      }
      Count const through = before + warp::inclusive_scan(mine, plus{});
      __syncwarp();  // all lanes have read the rank
      if (through - mine < rank && rank <= through)
        tell(at, r, first + 4 * lane, through - mine, x);
      return;
    }
  }
  __device__ void tell(digit at, unsigned r, unsigned bin, Count before, Count const (&x)[4]) {
    unsigned i = 0;
    Count inside = x[0];
#pragma unroll
    for (unsigned j = 1; j < 4; ++j)
      if (before + inside < shared_.rank[r] && i == j - 1) before += inside, inside = x[j], i = j;
    Bits const low = Bits(shared_.low[r] + Bits(Bits(at.mask() - (bin + i)) << at.shift));
    Bits const rest = Bits((Bits(1) << at.shift) - 1), left = Bits(shared_.high[r] - low);
    shared_.rank[r] -= before, shared_.inside[r] = inside;
    shared_.low[r] = low, shared_.high[r] = Bits(low + (rest < left ? rest : left));
  }

  // By one warp, a rank a lane.
  __device__ void find_slots(unsigned ranks) {
    unsigned const r = threadIdx.x % 32;
    bool const is_there = r < ranks;
    bool const is_new = is_there && (r == 0 || shared_.low[r] != shared_.low[r - 1]);
    unsigned const all = __ballot_sync(~0u, is_new);
    unsigned const slot = unsigned(__popc(all & (~0u >> (31 - r)))) - 1;
    word const span = is_there ? word(Bits(shared_.high[r] - shared_.low[r])) : word(0);
    if (is_there) shared_.slot[r] = (unsigned char)(slot);
    if (r < most_ranks<Count>) shared_.begin[r] = 0;
    __syncwarp();
    if (is_new) shared_.begin[slot] = shared_.low[r], shared_.span[slot] = span;
    word const widest = warp::all_reduce(span, larger{});
    Count const most = warp::all_reduce(is_there ? shared_.inside[r] : Count(0), larger{});
    if (r != 0) return;
    shared_.slots = unsigned(__popc(all)), shared_.most_inside = most;
    shared_.width = 8 * int(sizeof(word)) -
                    (sizeof(word) == 8 ? __clzll((long long)(widest)) : __clz(int(widest)));
  }

  team& all_;
  board& shared_;
  rank_memory<Count> const& memory_;
  unsigned turn_ = 0;
};

}  // namespace tally::device
