// SPDX-License-Identifier: Apache-2.0
//
// Different keys, each with the first of its indices: a hash table in a block's shared memory. When
// there is no room for more, it keeps the best of them, and no other that is worse is added.
#pragma once

#include "tally/block/scan.cuh"
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
  // The least key that is good enough, whether one is, and whether adding one that is makes a
  // difference.
  __device__ Bits least() const { return Bits(least_); }
  __device__ bool wants(Bits of) const { return of >= least_; }
  __device__ bool lacks(Bits of, Index index) const { return !table_.knows(of, index); }
  // Whether there was none for a thread: then there is now, and what was added since the last call
  // is to be added again.
  __device__ bool was_full(bool for_thread) {
    if (!__syncthreads_or(for_thread)) return false;
    raise_least(keep_best(table_, k_, slack_of(k_)));
    return true;
  }
  // From then on worse keys are not good enough.
  __device__ void raise_least(key least) { least_ = least > least_ ? least : least_; }
  // Calls f(key) for all that are there but 0, a thread for some.
  template <class F>
  __device__ void for_keys(F f) const {
#pragma unroll 1
    for (unsigned at = threadIdx.x; at < table::slots; at += selecting_threads)
      if (table_.keys[at] != 0) f(table_.keys[at]);
  }

  // Whether no other key makes a difference any more, whatever its index: none is known to.
  __device__ bool is_complete() const { return false; }

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

// Of bytes: each key has a place, and there is always room. A block that reads a row in order has
// seen enough of it when all of the best keys that there may be are there.
template <class Index>
class value_set<std::uint8_t, Index> {
  using index_type = counted_by<Index>;
  static constexpr unsigned keys = 256;
  static constexpr index_type none = ~index_type(0);

 public:
  static constexpr std::size_t bytes = 2 * keys * sizeof(index_type);  // put_few() takes more

  __device__ value_set(std::byte* memory, value_set_board& shared, unsigned k, std::uint8_t least)
      : firsts_(reinterpret_cast<index_type*>(memory)), shared_(shared), k_(k), least_(least) {
    if (threadIdx.x < keys) firsts_[threadIdx.x] = none;
    __syncthreads();
  }

  __device__ bool add(std::uint8_t of, Index index) const {
    if (lacks(of, index)) atomicMin(firsts_ + of, index_type(index));
    return true;
  }
  __device__ std::uint8_t least() const { return std::uint8_t(least_); }
  __device__ bool wants(std::uint8_t of) const { return of >= least_; }
  __device__ bool lacks(std::uint8_t of, Index index) const {
    return index < look_at_shared(firsts_[of]);
  }
  __device__ bool was_full(bool) const { return false; }

  __device__ void trim() {
    unsigned all;
    __syncthreads();
    unsigned const before = count_before(all);
    if (is_there() && before == k_ - 1) shared_.written = key();
    __syncthreads();
    if (all >= k_) least_ = shared_.written;
    is_complete_ = (all < k_ ? all : k_) == keys - least_;
  }
  __device__ bool is_complete() const { return is_complete_; }
  TALLY_HD static constexpr unsigned most_left(unsigned k) { return k < keys ? k : keys; }

  __device__ unsigned put(key_pairs<std::uint8_t, Index> const& to) const {
    unsigned all;
    __syncthreads();
    unsigned const place = count_before(all);
    if (is_there()) to.keys[place] = std::uint8_t(key()), to.indices[place] = Index(firsts_[key()]);
    return all;
  }

 private:
  index_type* firsts_;
  value_set_board& shared_;
  unsigned const k_;
  unsigned least_;
  bool is_complete_ = false;

  // The thread's key, the best first.
  __device__ static unsigned key() { return keys - 1 - threadIdx.x; }
  __device__ bool is_there() const {
    return threadIdx.x < keys && key() >= least_ && firsts_[key()] != none;
  }
  __device__ unsigned count_before(unsigned& all) const {
    return block::exclusive_scan(unsigned(is_there()), plus{}, 0u, all);
  }
};

// Whether elements of one or two bytes may have a key that is good enough: some instructions for
// all that a thread has read, by which most of a row is passed over. Elements that rank no lower
// than a certain one are those up to it, as unsigned numbers, if some bits of all are turned
// around; but for NaNs with a sign, which may rank above all. More may seem good enough than are.
template <class Bits>
  requires(sizeof(Bits) <= 2)
class narrow_reach {
 public:
  __device__ narrow_reach(rank_order<Bits> const& order, Bits least) {
    constexpr Bits ones = Bits(~Bits(0));
    Bits const element = order.element_of(least);
    Bits turn = Bits(~order.flip);
    if (element & order.sign) turn = Bits(turn ^ ~order.sign);
    turn_ = in_each(turn);
    most_ = in_half(order.is_of_several(least) ? ones : Bits(element ^ turn));
    nans_are_best_ = order.sign != 0 && !(order.flip & 1) && !order.skips;
    most_of_nans_ = in_half(Bits(~(order.sign | order.infinity) - 1));
  }

  // Of elements side by side.
  template <int N>
  __device__ bool any(Bits const (&x)[N]) const {
    unsigned words[N * sizeof(Bits) / 4], least = ~0u, nans = ~0u;
    __builtin_memcpy(words, x, sizeof words);
#pragma unroll
    for (unsigned const word : words) {
      least = least_halves(word ^ turn_, 0, least);
      if constexpr (sizeof(Bits) == 1)
        least = least_halves((word ^ turn_) << 8, 0, least);
      else
        nans = least_halves(~word, 0, nans);
    }
    return reach(least, most_) || (nans_are_best_ && reach(nans, most_of_nans_));
  }

 private:
  unsigned turn_, most_, most_of_nans_;
  bool nans_are_best_;

  __device__ static bool reach(unsigned halves, unsigned most) {
    return (halves & 0xffff) <= most || halves >> 16 <= most;
  }
  // Copies of an element that fill a word; and one, or what a byte is the upper one of, as a half.
  __device__ static unsigned in_each(Bits x) {
    return sizeof(Bits) == 1 ? x * 0x01010101u : x * 0x10001u;
  }
  __device__ static unsigned in_half(Bits x) { return sizeof(Bits) == 1 ? x << 8 | 0xffu : x; }
};

}  // namespace tally::device
