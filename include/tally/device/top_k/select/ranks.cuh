// SPDX-License-Identifier: Apache-2.0
//
// The keys at several ranks of a set at once, digit by digit from the top: radix selection in which
// ranks whose keys begin alike share the counts. The set is what the blocks of a team hold, each
// its own part, in registers or in a list.
#pragma once

#include "tally/cuda/shared_cursor.cuh"
#include "tally/device/rows/arena.hpp"
#include "tally/device/top_k/select/cut.cuh"
#include "tally/warp/reduce.cuh"
#include "tally/warp/scan.cuh"

namespace tally::device {

inline constexpr unsigned most_ranks = 32, rank_bins = 4096;

// What the threads of a block share. Of each rank, the best first: the known bits of its key, its
// rank among the keys that begin with these, counted from 1, and how many these are.
template <class Bits>
struct rank_board {
  std::uint32_t bins[rank_bins];  // of each beginning, the best digit first
  Bits low[most_ranks];
  std::uint32_t rank[most_ranks], inside[most_ranks];
  // The different ones of `low`, the best first, and behind them zeros.
  std::conditional_t<sizeof(Bits) == 8, std::uint64_t, std::uint32_t> beginning[most_ranks];
  unsigned char slot[most_ranks];
  unsigned slots, most_inside;
};

// What a team has for it in global memory: the counts of a digit, which are zero when it is its
// turn.
struct rank_memory {
  std::uint32_t* counts;

  TALLY_FN rank_memory(arena& from, unsigned blocks)
      : counts(from.take<std::uint32_t>(blocks == 1 ? 0 : turns * rank_bins)) {}
  static constexpr unsigned turns = 3;
};

template <class Bits>
class rank_search {
 public:
  // All counts are zeroed here; before a search the team is to meet once.
  __device__ rank_search(team& all, rank_board<Bits>& shared, rank_memory const& memory)
      : all_(all), shared_(shared), memory_(memory) {
    if (all_.is_alone()) return;
    for (unsigned i = all_.thread(); i < rank_memory::turns * rank_bins; i += all_.threads())
      memory_.counts[i] = 0;
  }

  // Finds the keys at the ranks shared.rank[0], [1], ... of so many, which rise, until no more than
  // `slack` keys, or equal ones, are left for each. Returns how many low bits of the keys are then
  // unknown. keys.for_each(f) calls f(key, is_there) with all lanes of a warp together. By all
  // threads of the team, which agree about the ranks.
  template <class Keys>
  __device__ int find(unsigned ranks, std::uint32_t slack, Keys const& keys) {
    __syncthreads();
    if (threadIdx.x < ranks) shared_.low[threadIdx.x] = 0, shared_.slot[threadIdx.x] = 0;
    if (threadIdx.x < most_ranks) shared_.beginning[threadIdx.x] = 0;
    if (threadIdx.x == 0) shared_.slots = 1;
    int top = 8 * int(sizeof(Bits));
#pragma unroll 1
    while (true) {
      __syncthreads();
      unsigned const slots = shared_.slots;
      int const most = slots <= 2 ? 11 : slots <= 16 ? 8 : 7, width = top < most ? top : most;
      digit const at{top, top - width, slots << (width < 7 ? 7 : width)};
      count(at, keys);
      put_together(at);
      for (unsigned r = threadIdx.x / 32; r < ranks; r += selecting_threads / 32) narrow(at, r);
      __syncthreads();
      if (threadIdx.x < 32) find_slots(ranks);
      __syncthreads();
      top = at.shift;
      if (top == 0 || shared_.most_inside <= slack) return top;
    }
  }

 private:
  struct digit {
    int top, shift;  // its bits are from `shift` on, below `top`
    unsigned bins;   // of all beginnings

    __device__ unsigned mask() const { return (1u << (top - shift)) - 1; }
    __device__ unsigned of_slot() const { return mask() < 127 ? 128 : mask() + 1; }
    __device__ Bits known() const {
      return top == 8 * int(sizeof(Bits)) ? Bits(0) : Bits(~Bits(0) << top);
    }
  };

  template <class Keys>
  __device__ void count(digit at, Keys const& keys) {
    for (unsigned i = threadIdx.x; i < at.bins; i += selecting_threads) shared_.bins[i] = 0;
    __syncthreads();
    unsigned const slots = shared_.slots, mask = at.mask();
    keys.for_each([&](Bits key, bool is_there) {
      Bits const begins = Bits(key & at.known());
      auto const at_slot = slot_of(begins, slots);
      unsigned const slot = at_slot.from(shared_.beginning);
      if (is_there && slot < slots && at_slot.template ahead<0>() == begins)
        atomicAdd(&shared_.bins[slot * at.of_slot() + (mask - (unsigned(key >> at.shift) & mask))],
                  1u);
    });
    __syncthreads();
  }
  // The first slot whose keys do not begin better.
  __device__ auto slot_of(Bits begins, unsigned slots) const {
    shared_cursor at(shared_.beginning);
    auto const step = [&]<unsigned Step>(std::integral_constant<unsigned, Step>) {
      at.template advance_if<Step>(at.template ahead<Step - 1>() > begins);
    };
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
    std::uint32_t* const here = memory_.counts + turn_ * rank_bins;
    turn_ = (turn_ + 1) % rank_memory::turns;
    std::uint32_t* const next = memory_.counts + turn_ * rank_bins;
    for (unsigned i = threadIdx.x; i < at.bins; i += selecting_threads)
      if (auto const n = shared_.bins[i])
        __nv_atomic_fetch_add(here + i, n, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    for (unsigned i = all_.thread(); i < rank_bins; i += all_.threads()) next[i] = 0;
    all_.meet();
    for (unsigned i = threadIdx.x; i < at.bins; i += selecting_threads)
      shared_.bins[i] = __ldcg(here + i);
    __syncthreads();
  }

  // By a warp: the digit of the key at a rank, and the rank among those that have it.
  __device__ void narrow(digit at, unsigned r) {
    unsigned const lane = threadIdx.x % 32, rank = shared_.rank[r];
    auto const* const bins =
        reinterpret_cast<uint4 const*>(shared_.bins + shared_.slot[r] * at.of_slot());
    unsigned before = 0;
#pragma unroll 1
    for (unsigned first = 0; first < at.of_slot(); first += 128) {
      uint4 const x = bins[first / 4 + lane];
      unsigned const mine = x.x + x.y + x.z + x.w, all = warp::all_reduce(mine, plus{});
      if (before + all < rank) {
        before += all;
        continue;
      }
      unsigned const through = before + warp::inclusive_scan(mine, plus{});
      __syncwarp();  // all lanes have read the rank
      if (through - mine < rank && rank <= through)
        tell(at, r, first + 4 * lane, through - mine, x);
      return;
    }
  }
  __device__ void tell(digit at, unsigned r, unsigned bin, unsigned before, uint4 const& x) {
    unsigned const of_bin[4] = {x.x, x.y, x.z, x.w};
    unsigned i = 0, inside = of_bin[0];
#pragma unroll
    for (unsigned j = 1; j < 4; ++j)
      if (before + inside < shared_.rank[r] && i == j - 1)
        before += inside, inside = of_bin[j], i = j;
    shared_.rank[r] -= before, shared_.inside[r] = inside;
    shared_.low[r] = Bits(shared_.low[r] | Bits(Bits(at.mask() - (bin + i)) << at.shift));
  }

  // By one warp, a rank a lane.
  __device__ void find_slots(unsigned ranks) {
    unsigned const r = threadIdx.x % 32;
    bool const is_new = r < ranks && (r == 0 || shared_.low[r] != shared_.low[r - 1]);
    unsigned const all = __ballot_sync(~0u, is_new);
    unsigned const slot = unsigned(__popc(all & (~0u >> (31 - r)))) - 1;
    if (r < ranks) shared_.slot[r] = (unsigned char)(slot);
    shared_.beginning[r] = 0;
    __syncwarp();
    if (is_new) shared_.beginning[slot] = shared_.low[r];
    unsigned const most = warp::all_reduce(r < ranks ? shared_.inside[r] : 0u, larger{});
    if (r == 0) shared_.slots = unsigned(__popc(all)), shared_.most_inside = most;
  }

  team& all_;
  rank_board<Bits>& shared_;
  rank_memory const& memory_;
  unsigned turn_ = 0;
};

}  // namespace tally::device
