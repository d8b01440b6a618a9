// SPDX-License-Identifier: Apache-2.0
//
// Different keys, each with the first of its indices: a hash table in a block's shared memory. When
// there is no room for more, it keeps the best of them, and no other that is worse is added.
#pragma once

#include "tally/cuda/instructions.cuh"
#include "tally/device/top_k/select/sort.cuh"
#include "tally/warp/reduce.cuh"

namespace tally::device {

inline constexpr unsigned most_of_value_set = 2048;  // the best that it keeps

// What atomic functions take for an index.
template <class Index>
using counted_by = std::conditional_t<sizeof(Index) == 8, unsigned long long, unsigned>;

// What its threads share beside the table.
struct value_set_board {
  unsigned count;    // of the keys in the table
  unsigned sums[3];  // of what keep_best() counts, in turn
  unsigned written;  // by put()
};

// One is added until there are as many as it has room for, and then a thread may still add one. It
// takes few steps to find a key where many slots are empty. An empty slot has the key 0: so this
// key itself has a place of its own, behind all slots, and is there if it has an index.
template <class Bits, class Index>
struct value_table {
  using key = std::conditional_t<sizeof(Bits) == 8, unsigned long long, unsigned>;
  using index_type = counted_by<Index>;
  static constexpr unsigned slots = sizeof(Bits) == 8 ? 4096 : 8192, most_room = slots / 4 * 3;
  static constexpr unsigned places = slots + 2;  // of which indices of 64 bits can follow
  static constexpr std::size_t bytes = places * (sizeof(key) + sizeof(index_type));
  static constexpr index_type none = ~index_type(0);
  static_assert(most_room + selecting_threads < slots);

  key* keys;
  index_type* firsts;
  value_set_board& shared;
  unsigned room;

  // All threads of the block.
  __device__ void clear() const {
    if (threadIdx.x == 0) shared.count = 0;
    for (unsigned at = threadIdx.x; at < places; at += selecting_threads)
      keys[at] = 0, firsts[at] = none;
    __syncthreads();
  }

  // Whether a key is there, where it is looked for first, with an index that is no later. Threads
  // as they like: a place that has the key keeps it.
  __device__ bool knows(key x, index_type index) const {
    unsigned const at = place_of(x);
    bool const is_there = look_at_shared(keys[at]) == x;
    return is_there & (look_at_shared(firsts[at]) <= index);
  }

  // Threads as they like. Returns whether there was room for it.
  __device__ bool add(key x, index_type index) const {
    if (x == 0) return lower(firsts[slots], index), true;
    if (look_at_shared(shared.count) >= room) return false;
    unsigned step = 0;  // a longer one each time, which comes to every slot
#pragma unroll 1
    for (unsigned at = place_of(x);; at = (at + ++step) % slots) {
      key found = look_at_shared(keys[at]);
      if (found == 0) {
        found = atomicCAS(keys + at, key(0), x);
        if (found == 0) atomicAdd(&shared.count, 1u);
      }
      if (found == x || found == 0) return lower(firsts[at], index), true;
    }
  }

 private:
  __device__ static void lower(index_type& first, index_type index) {
    if (index < look_at_shared(first)) atomicMin(&first, index);
  }
  __device__ static unsigned place_of(key x) {  // Fibonacci hashing (Knuth)
    constexpr int width = 8 * sizeof(key), shift = width - (slots == 4096 ? 12 : 13);
    static_assert(slots == 1u << (width - shift));
    unsigned const slot = unsigned(key(x * key(0x9e3779b97f4a7c15u >> (64 - width))) >> shift);
    return x == 0 ? slots : slot;
  }
};

// Keeps the k best keys of more than `k + slack`, or up to `slack` more where that ends sooner.
// Returns the least key that is kept; it is above 0. All threads of the block.
template <class Bits, class Index>
__device__ __noinline__ auto keep_best(value_table<Bits, Index> table, unsigned k, unsigned slack) {
  using key = typename value_table<Bits, Index>::key;
  constexpr unsigned of_thread = table.slots / selecting_threads;
  key keys[of_thread];
  counted_by<Index> firsts[of_thread];
#pragma unroll
  for (unsigned j = 0; j < of_thread; ++j) {
    unsigned const at = j * selecting_threads + threadIdx.x;
    keys[j] = table.keys[at], firsts[j] = table.firsts[at];
  }
  // Bit for bit the largest that is reached by k.
  unsigned reach = table.shared.count, turn = 0;
  auto& sums = table.shared.sums;
  if (threadIdx.x < 2) sums[threadIdx.x] = 0;
  __syncthreads();
  key least = 0;
#pragma unroll 1
  for (key bit = ~(~key(0) >> 1); bit && reach > k + slack; bit >>= 1) {
    unsigned n = 0;
#pragma unroll
    for (unsigned j = 0; j < of_thread; ++j) n += keys[j] >= (least | bit);
    n = warp::all_reduce(n, plus{});
    if (threadIdx.x % 32 == 0) atomicAdd(&sums[turn], n);
    __syncthreads();
    n = sums[turn];
    turn = (turn + 1) % 3;
    if (threadIdx.x == 0) sums[(turn + 1) % 3] = 0;
    if (n >= k) least |= bit, reach = n;
  }
  table.clear();
#pragma unroll
  for (unsigned j = 0; j < of_thread; ++j)
    if (keys[j] >= least) table.add(keys[j], firsts[j]);
  __syncthreads();
  return least;
}

// All threads of a block call its members together, but for wants(), lacks() and add().
template <class Bits, class Index>
class value_set {
 public:
  using table = value_table<Bits, Index>;
  using key = typename table::key;
  static constexpr std::size_t bytes = table::bytes;

  // Of the k best, k <= most_of_value_set, that are no worse than `least`. In so many bytes.
  __device__ value_set(std::byte* memory, value_set_board& shared, unsigned k, Bits least)
      : table_{reinterpret_cast<key*>(memory),
               reinterpret_cast<counted_by<Index>*>(reinterpret_cast<key*>(memory) + table::places),
               shared, room_for(k)},
        k_(k),
        least_(least) {
    table_.clear();
  }

  // Threads add keys as they like, the same ones once more, too. Returns whether there was room.
  __device__ bool add(Bits of, Index index) const { return table_.add(of, index); }
  // Whether a key is good enough, and whether adding one that is makes a difference.
  __device__ bool wants(Bits of) const { return of >= least_; }
  __device__ bool lacks(Bits of, Index index) const { return !table_.knows(of, index); }
  // Whether there was none for a thread: then there is now, and what was added since the last call
  // is to be added again.
  __device__ bool was_full(bool for_thread) {
    if (!__syncthreads_or(for_thread)) return false;
    least_ = keep_best(table_, k_, slack_of(k_));
    return true;
  }

  // Leaves little more than the k best, and how many that may be.
  __device__ void trim() {
    was_full(table_.shared.count > k_ + slack_of(k_));
    __syncthreads();
  }
  TALLY_HD static constexpr unsigned most_left(unsigned k) { return k + slack_of(k) + 1; }

  // Writes all to global memory, in any order. Returns how many there are.
  __device__ unsigned put(key_pairs<Bits, Index> const& to) const {
    auto& shared = table_.shared;
    if (threadIdx.x == 0) {
      auto const first_of_0 = table_.firsts[table::slots];
      shared.written = least_ == 0 && first_of_0 != table::none;
      if (shared.written) to.keys[0] = 0, to.indices[0] = Index(first_of_0);
    }
    __syncthreads();
#pragma unroll 1
    for (unsigned at = threadIdx.x; at < table::slots; at += selecting_threads) {
      bool const there = table_.keys[at] != 0;
      unsigned const votes = __ballot_sync(~0u, there), before = (1u << threadIdx.x % 32) - 1;
      unsigned first = 0;
      if (threadIdx.x % 32 == 0) first = atomicAdd(&shared.written, unsigned(__popc(votes)));
      unsigned const place = warp::broadcast(first, 0) + unsigned(__popc(votes & before));
      if (there) to.keys[place] = Bits(table_.keys[at]), to.indices[place] = table_.firsts[at];
    }
    __syncthreads();
    return shared.written;
  }

 private:
  TALLY_HD static constexpr unsigned slack_of(unsigned k) { return k / 4 + 15; }
  static_assert(most_of_value_set + slack_of(most_of_value_set) < table::most_room);
  TALLY_HD static constexpr unsigned room_for(unsigned k) {
    unsigned const room = 2 * most_left(k) + 1024;
    return room < table::most_room ? room : table::most_room;
  }

  table const table_;
  unsigned const k_;
  key least_;
};

}  // namespace tally::device
