// SPDX-License-Identifier: Apache-2.0
//
// Different keys, each with the first of its indices: a hash table in a block's shared memory. When
// there is no room for more, it keeps the best of them, and no other that is worse is added.
#pragma once

#include "tally/cuda/look_at_shared.cuh"
#include "tally/device/select/cut.cuh"
#include "tally/device/select/sort.cuh"

namespace tally::device {

inline constexpr unsigned most_of_value_set = 2048;  // the best that it keeps

// What atomic functions take for an index.
template <class Index>
using counted_by = std::conditional_t<sizeof(Index) == 8, unsigned long long, unsigned>;

// What its threads share beside the table.
template <class Index>
struct value_set_board {
  digit_counts<std::uint32_t> digits;
  unsigned count;                // of the keys in the table
  unsigned written;              // by put()
  counted_by<Index> first_of_0;  // of the key 0, which in the table is an empty slot; or none
};

// One is added until there are as many as it has room for, and then a thread may still add one.
template <class Bits, class Index>
struct value_table {
  using key = std::conditional_t<sizeof(Bits) == 8, unsigned long long, unsigned>;
  using index_type = counted_by<Index>;
  static constexpr unsigned slots = sizeof(Bits) == 8 ? 4096 : 8192, room = slots / 4 * 3;
  static constexpr std::size_t bytes = slots * (sizeof(key) + sizeof(index_type));
  static constexpr index_type none = ~index_type(0);
  static_assert(room + selecting_threads < slots);

  key* keys;
  index_type* firsts;
  value_set_board<Index>& shared;

  // All threads of the block.
  __device__ void clear() const {
    if (threadIdx.x == 0) shared.count = 0;
    for (unsigned at = threadIdx.x; at < slots; at += selecting_threads)
      keys[at] = 0, firsts[at] = none;
    __syncthreads();
  }

  // Threads as they like. Returns whether there was room for it.
  __device__ bool add(key x, index_type index) const {
    if (x == 0) return lower(shared.first_of_0, index), true;
#pragma unroll 1
    for (unsigned at = slot_of(x);; at = (at + 1) % slots) {
      key found = look_at_shared(keys[at]);
      if (found == 0) {
        if (look_at_shared(shared.count) >= room) return false;
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
  __device__ static unsigned slot_of(key x) {  // Fibonacci hashing (Knuth)
    constexpr int width = 8 * sizeof(key), shift = width - (slots == 4096 ? 12 : 13);
    static_assert(slots == 1u << (width - shift));
    return unsigned(key(x * key(0x9e3779b97f4a7c15u >> (64 - width))) >> shift);
  }
};

// Keeps the k best keys of more than `k + slack`, or up to `slack` more where that ends sooner.
// Returns the least key that is kept; it is above 0. All threads of the block.
template <class Bits, class Index>
__device__ __noinline__ auto keep_best(value_table<Bits, Index> table, unsigned k, unsigned slack) {
  using key = typename value_table<Bits, Index>::key;
  constexpr rank_order<key> as_they_are{0, key(~key(0)), 0, 0, false};
  constexpr unsigned of_thread = table.slots / selecting_threads;
  team alone = team::of_one();
  auto const end = find_cut(alone, table.shared.digits, static_cast<unsigned*>(nullptr),
                            array_row<key>{table.keys, table.slots}, as_they_are, k, slack);
  key const least = end.low + (end.ties == 0);
  key keys[of_thread];
  typename value_table<Bits, Index>::index_type firsts[of_thread];
#pragma unroll
  for (unsigned j = 0; j < of_thread; ++j) {
    unsigned const at = j * selecting_threads + threadIdx.x;
    keys[j] = table.keys[at], firsts[j] = table.firsts[at];
  }
  __syncthreads();
  table.clear();
#pragma unroll
  for (unsigned j = 0; j < of_thread; ++j)
    if (keys[j] >= least) table.add(keys[j], firsts[j]);
  __syncthreads();
  return least;
}

// All threads of a block call its members together, but for add().
template <class Bits, class Index>
class value_set {
 public:
  using table = value_table<Bits, Index>;
  using key = typename table::key;
  static constexpr std::size_t bytes = table::bytes;

  // Of the k best, k <= most_of_value_set, that are no worse than `least`. In so many bytes.
  __device__ value_set(std::byte* memory, value_set_board<Index>& shared, unsigned k, Bits least)
      : table_{reinterpret_cast<key*>(memory),
               reinterpret_cast<counted_by<Index>*>(reinterpret_cast<key*>(memory) + table::slots),
               shared},
        k_(k),
        least_(least) {
    if (threadIdx.x == 0) shared.first_of_0 = table::none;
    table_.clear();
  }

  // Threads add keys as they like, the same ones once more, too. Returns whether there was room.
  __device__ bool add(Bits of, Index index) const {
    key const x = of;
    return x < least_ || table_.add(x, index);
  }
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
    if (threadIdx.x == 0) shared.written = 0;
    __syncthreads();
    auto const write = [&](key x, counted_by<Index> first) {
      unsigned const at = atomicAdd(&shared.written, 1u);
      to.keys[at] = Bits(x), to.indices[at] = Index(first);
    };
    for (unsigned at = threadIdx.x; at < table::slots; at += selecting_threads)
      if (table_.keys[at] != 0) write(table_.keys[at], table_.firsts[at]);
    if (threadIdx.x == 0 && least_ == 0 && shared.first_of_0 != table::none)
      write(0, shared.first_of_0);
    __syncthreads();
    return shared.written;
  }

 private:
  TALLY_HD static constexpr unsigned slack_of(unsigned k) { return k / 4 + 15; }
  static_assert(most_of_value_set + slack_of(most_of_value_set) < table::room);

  table const table_;
  unsigned const k_;
  key least_;
};

}  // namespace tally::device
