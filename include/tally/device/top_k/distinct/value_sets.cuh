// SPDX-License-Identifier: Apache-2.0
//
// The k best different values of each row, or of rows that another way has left, each at its first
// index, in one read: every block of a team keeps a set of the best values that it has seen. The
// sets are put together, and the values of the last one are sorted.
#pragma once

#include "tally/device/top_k/distinct/sorted.cuh"
#include "tally/device/top_k/distinct/value_set.cuh"

namespace tally::device {

// Vectors that a thread loads at once of a row, and entries of lists.
template <class Bits>
inline constexpr int value_loads = sizeof(Bits) == 1 ? 1 : 2;
inline constexpr int listed_at_once = 4;

// Of long rows more are added before it is seen whether a set is full, but for the first.
template <class Bits>
struct value_tile {
  static constexpr unsigned least = usual_loads<Bits> / value_loads<Bits>, most = 8 * least;
};

// Of keys of 16 bits: a bit for each.
inline constexpr int words_of_seen = (1 << 16) / 32;

// What a team keeps in global memory: a list for each block, and what the last one is sorted in.
template <class Bits, class Index>
struct value_sets_memory {
  unsigned most;     // of a list
  unsigned* counts;  // of the lists
  Bits* keys;
  Index* indices;
  unsigned* told;  // of keys of 16 bits, which are there
  sorted_memory<Bits, Index> last;

  TALLY_FN value_sets_memory(arena& from, unsigned blocks, std::uint64_t k, std::uint64_t by_index)
      : most(value_set<Bits, Index>::most_left(unsigned(k))),
        counts(from.take<unsigned>(blocks)),
        keys(from.take<Bits>(blocks * most)),
        indices(from.take<Index>(blocks * most)),
        told(from.take<unsigned>(sizeof(Bits) == 2 ? words_of_seen : 0)),
        last(from, 1, most, by_index) {}

  __device__ key_pairs<Bits, Index> list(unsigned block) const {
    return {keys + block * most, indices + block * most};
  }
};

template <class In, class Index>
struct value_sets_call : top_k_request<In> {
  using memory = value_sets_memory<typename top_k_request<In>::bits, Index>;

  row_list of;  // the rows; or null: all
  unsigned blocks, teams;
  unsigned fan;  // so many sets become one at once
  workspace w;
  std::byte* scratch;          // of the teams
  std::uint64_t memory_bytes;  // of each

  TALLY_FN std::uint64_t by_index() const { return this->how.sorted ? 0 : this->how.most; }
};

// Adds what a set lacks of a thread's keys, which are few as a rule. All lanes of a warp call
// together. Returns whether there was room.
template <int N, class Bits, class Index, class At>
__device__ bool add_lacking(value_set<Bits, Index> const& set, unsigned live, Bits const (&keys)[N],
                            At index) {
  unsigned wanted = 0, lacking = 0;
#pragma unroll
  for (int e = 0; e < N; ++e) wanted |= unsigned(set.wants(keys[e])) << e;
  wanted &= live;
  if (!__any_sync(~0u, wanted != 0)) return true;
#pragma unroll
  for (int e = 0; e < N; ++e) lacking |= unsigned(set.lacks(keys[e], index(e))) << e;
  lacking &= wanted;
  bool had_room = true;
#pragma unroll 1
  for (unsigned any = warp::all_reduce(lacking, bit_or{}); any; any &= any - 1) {
    int const one = __ffs(int(any)) - 1;
    Bits key = keys[0];
#pragma unroll
    for (int e = 1; e < N; ++e) key = e == one ? keys[e] : key;
    if (lacking >> one & 1) had_room &= set.add(key, index(one));
    __syncwarp();
  }
  return had_room;
}

// Whether some of a thread's keys may be good enough for a set: of wide ones that is not asked at
// once.
template <class Bits>
struct set_reach {
  __device__ set_reach(rank_order<Bits> const&, Bits) {}
  __device__ bool any(auto const&) const { return true; }
};
template <class Bits>
  requires(sizeof(Bits) <= 2)
struct set_reach<Bits> : narrow_reach<Bits> {
  using narrow_reach<Bits>::narrow_reach;
};

// Adds so many batches a thread, from a place on. Returns whether the set was full.
template <class Bits, class Index, class Reading>
__device__ bool add_tile(value_set<Bits, Index>& set, Reading const& row, Index at,
                         unsigned batches, rank_order<Bits> const& order) {
  at += row.first_of_thread();
  set_reach<Bits> const reach(order, set.least());
  bool had_room = true;
  auto next = row.load(at);
#pragma unroll 1
  for (unsigned b = 1; b <= batches; ++b) {
    auto const x = next;
    Index const first = at;
    at += Reading::tile;
    if (b < batches) next = row.load(at);
    if (!__any_sync(~0u, reach.any(x.x))) continue;
    Bits keys[Reading::items];
#pragma unroll
    for (int i = 0; i < Reading::items; ++i) keys[i] = order(x.x[i]);
    had_room &= add_lacking(set, x.live, keys, [&](int i) { return row.index(first, i); });
  }
  return !had_room;
}

// Keys of 16 bits that have been seen, a bit for each, and the k-th best of them: by a block, whose
// threads have the words in turn, the best first. Returns `least` where there are fewer.
template <class Word>
__device__ std::uint16_t kth_of_seen(value_set_board& shared, Word word_at, unsigned k,
                                     std::uint16_t least) {
  constexpr int each = words_of_seen / selecting_threads;
  unsigned const last = words_of_seen - 1 - threadIdx.x * each;
  unsigned words[each], mine = 0, all;
#pragma unroll
  for (int i = 0; i < each; ++i) words[i] = word_at(last - i);
#pragma unroll
  for (int i = 0; i < each; ++i) mine += unsigned(__popc(words[i]));
  unsigned const before = block::exclusive_scan(mine, plus{}, 0u, all);
  if (before < k && k <= before + mine) {
    unsigned left = k - before;  // to go past, and the one itself
#pragma unroll
    for (int i = 0; i < each; ++i) {
      unsigned const here = unsigned(__popc(words[i]));
      if (left > 0 && left <= here) {
        while (--left > 0) words[i] ^= 1u << (31 - __clz(int(words[i])));
        shared.written = 32 * (last - i) + 31 - unsigned(__clz(int(words[i])));
      } else if (left > 0) {
        left -= here;
      }
    }
  }
  __syncthreads();
  return all < k ? least : std::uint16_t(shared.written);
}

// The least key that a set of the k best needs, as some tiles of a row show. In a block's memory.
template <class Reading, class Index>
__device__ __noinline__ std::uint16_t least_of_tiles(unsigned* seen, value_set_board& shared,
                                                     Reading row, Index at, unsigned batches,
                                                     rank_order<std::uint16_t> order, unsigned k,
                                                     std::uint16_t least) {
  for (int i = int(threadIdx.x); i < words_of_seen; i += selecting_threads) seen[i] = 0;
  __syncthreads();
  at += row.first_of_thread();
#pragma unroll 1
  for (unsigned b = 0; b < batches; ++b, at += Reading::tile) {
    auto const x = row.load(at);
#pragma unroll
    for (int i = 0; i < Reading::items; ++i) {
      unsigned const key = order(x.x[i]), bit = 1u << key % 32;
      if ((x.live >> i & 1) && key >= least && !(look_at_shared(seen[key / 32]) & bit))
        atomicOr(seen + key / 32, bit);
    }
  }
  __syncthreads();
  return kth_of_seen(shared, [&](unsigned i) { return seen[i]; }, k, least);
}

// The same as a block's set and what others have told show, which is told to them in turn. Nobody
// waits: what is not there yet would only raise it.
template <class Index>
__device__ __noinline__ std::uint16_t least_of_team(unsigned* told, value_set_board& shared,
                                                    value_set<std::uint16_t, Index> const& set,
                                                    unsigned k) {
  auto const now = [&](unsigned i) {
    return __nv_atomic_load_n(told + i, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  };
  std::uint16_t const least = set.least();
  set.for_keys([&](unsigned key) {
    unsigned const bit = 1u << key % 32;
    if (key >= least && !(now(key / 32) & bit)) atomicOr(told + key / 32, bit);
  });
  return kth_of_seen(shared, now, k, least);
}

// Adds every so many-th tile of a row, in an order in which a row that rises looks like any other:
// a set that saw only better and better values would always be full. One of bytes never is: it sees
// tiles in their order, and may have seen enough before the last.
template <class Bits, class Index, class Row>
__device__ void add_tiles(value_set<Bits, Index>& set, team& all, Row const& row,
                          rank_order<Bits> const& order, [[maybe_unused]] unsigned k,
                          [[maybe_unused]] value_set_board& shared,
                          [[maybe_unused]] unsigned* told) {
  using reading = stretch<Row, Index, value_loads<Bits>>;
  using sizes = value_tile<Bits>;
  reading const whole(row, 0, 1);
  Index const most = Index(sizes::most) * reading::tile;
  unsigned const batches = whole.end() / all.blocks() / 4 >= most ? sizes::most : sizes::least;
  Index const tile = batches * reading::tile, tiles = (whole.end() + tile - 1) / tile;
  constexpr std::uint64_t prime = sizeof(Bits) == 1 ? 1 : 2654435761;  // more than there are tiles
  // A long row's blocks tell one another: its best are far above those of what one of them has
  // seen.
  Index const some = 4 * Index(sizes::least) * reading::tile;
  bool const tells = sizeof(Bits) == 2 && !all.is_alone() && whole.end() / all.blocks() >= some;
  if (tells) {
    for (unsigned i = all.thread(); i < words_of_seen; i += all.threads()) told[i] = 0;
    all.meet();
  }
  Index at = Index(all.rank() * prime % tiles);
  Index const step = Index(all.blocks() * prime % tiles);
  unsigned seen = 0;
#pragma unroll 1
  for (Index i = all.rank(); i < tiles; i += all.blocks(), ++seen) {
    unsigned at_once = seen == 0 ? sizes::least : batches;
#pragma unroll 1
    for (unsigned b = 0; b < batches;) {
      Index const first = at * tile + b * reading::tile;
      if (set.was_full(add_tile(set, whole, first, at_once, order))) {
        at_once = sizes::least;
        continue;
      }
      b += at_once;
      if ((seen & (seen + 1)) == 0) {  // twice as many as when it was last called
        set.trim();
        if constexpr (sizeof(Bits) == 2)
          if (tells) set.raise_least(least_of_team(told, shared, set, k));
      }
      if (set.is_complete()) return;
    }
    at = at < tiles - step ? at + step : at - (tiles - step);
  }
}

// Adds the lists of other blocks: every `apart`-th from one on.
template <class Bits, class Index>
__device__ void add_lists(value_set<Bits, Index>& set, value_sets_memory<Bits, Index> const& room,
                          unsigned from, unsigned apart, unsigned count) {
  unsigned const places = count * room.most;
  auto const add_some = [&](unsigned first) {
    constexpr int each = listed_at_once;
    Bits keys[each] = {};
    Index indices[each] = {};
    unsigned live = 0;
#pragma unroll
    for (int e = 0; e < each; ++e) {
      unsigned const place = first + e * selecting_threads + threadIdx.x;
      unsigned const list = from + place / room.most * apart, i = place % room.most;
      if (place >= places || i >= room.counts[list]) continue;
      keys[e] = room.list(list).keys[i], indices[e] = room.list(list).indices[i];
      live |= 1u << e;
    }
    return !add_lacking(set, live, keys, [&](int one) {
      Index index = indices[0];
#pragma unroll
      for (int e = 1; e < each; ++e) index = e == one ? indices[e] : index;
      return index;
    });
  };
#pragma unroll 1
  for (unsigned first = 0; first < places; first += listed_at_once * selecting_threads)
    while (set.was_full(add_some(first))) {
    }
  set.trim();
}

// After it the team's first block has the best of all sets in its own.
template <class Bits, class Index>
__device__ void put_together(value_set<Bits, Index>& set, team& all,
                             value_sets_memory<Bits, Index> const& room, unsigned fan) {
#pragma unroll 1
  for (unsigned apart = 1; apart < all.blocks(); apart *= fan) {
    if (all.rank() % apart == 0) {
      unsigned const count = set.put(room.list(all.rank()));
      if (threadIdx.x == 0) room.counts[all.rank()] = count;
    }
    all.meet();
    if (all.rank() % (apart * fan) != 0) continue;
    unsigned const others = (all.blocks() - 1 - all.rank()) / apart;
    add_lists(set, room, all.rank() + apart, apart, others < fan ? others : fan - 1);
  }
}

template <class Index>
union value_sets_board {
  value_set_board set;
  sort_board<Index> sort;
};

template <class Bits, class Index>
inline constexpr std::size_t value_sets_shared_bytes =
    value_set<Bits, Index>::bytes + sizeof(value_sets_board<Index>);

// Puts out the k best of different keys and their indices, no more than there are threads: each
// counts what comes before its own. By a block, in shared memory.
template <class Bits, class Index, class Call, class Row>
__device__ unsigned put_few(Call const& call, std::byte* memory,
                            key_pairs<Bits, Index> const& pairs, Row const& row,
                            std::uint64_t number, unsigned count, unsigned k) {
  constexpr int most = sizeof(Bits) == 1 ? 256 : selecting_threads;
  auto* const indices = reinterpret_cast<Index*>(memory);
  auto* const keys = reinterpret_cast<Bits*>(indices + most);
  bool const is_there = threadIdx.x < count;
  Bits const key = is_there ? pairs.keys[threadIdx.x] : Bits(0);
  Index const index = is_there ? pairs.indices[threadIdx.x] : Index(0);
  if (is_there) keys[threadIdx.x] = key;
  __syncthreads();
  unsigned place = 0;
  for (unsigned i = 0; is_there && i < count; ++i) place += keys[i] > key;
  bool const is_chosen = is_there && place < k;
  if (!call.how.sorted) {
    if (is_there) indices[threadIdx.x] = is_chosen ? index : ~Index(0);
    __syncthreads();
    place = 0;
    for (unsigned i = 0; is_chosen && i < count; ++i) place += indices[i] < index;
  }
  if (is_chosen) call.how.put(number * call.how.most + place, row[index], std::int64_t(index));
  __syncthreads();  // the memory is free
  return count < k ? count : k;
}

template <class In, class Index>
__device__ void values_of_row(value_sets_call<In, Index> const& call, team& all,
                              value_sets_board<Index>& board,
                              typename value_sets_call<In, Index>::memory const& room,
                              std::uint64_t number) {
  using bits = bits_of<typename In::element>;
  auto const row = passing(output_of(call, number).row);
  Index found = 0, k = Index(call.how.k_of(number));
  team alone = team::of_one();
  if (row.count > 0 && k > 0) {
    auto* const memory = dynamic_shared<std::byte>();
    bits least = bits(call.order.skips);
    if constexpr (sizeof(bits) == 2) {
      stretch<std::remove_const_t<decltype(row)>, Index, value_loads<bits>> const whole(row, 0, 1);
      constexpr unsigned batches = 1;  // as much as a block has at least
      least = least_of_tiles(reinterpret_cast<unsigned*>(memory), board.set, whole,
                             Index(all.rank()) * (batches * whole.tile), batches, call.order,
                             unsigned(k), least);
    }
    value_set<bits, Index> set(memory, board.set, unsigned(k), least);
    add_tiles(set, all, row, call.order, unsigned(k), board.set, room.told);
    set.trim();
    put_together(set, all, room, call.fan);
    if (all.rank() == 0) {
      Index const count = set.put(room.last.pairs[0]);
      __syncthreads();
      if (count <= selecting_threads)
        found =
            put_few(call, memory, room.last.pairs[0], row, number, unsigned(count), unsigned(k));
      else
        found = put_firsts(call, alone, board.sort, room.last, row, number, count, k);
    }
  }
  if (all.rank() == 0) finish_row(call.how, number, found, threadIdx.x, selecting_threads);
}

template <class In, class Index>
__global__ void __launch_bounds__(selecting_threads, 2)
    top_k_value_sets(__grid_constant__ value_sets_call<In, Index> const call) {
  __shared__ value_sets_board<Index> board;
  await_launches_before();
  unsigned const mine = blockIdx.x / call.blocks;
  team all(call.w, mine, blockIdx.x - mine * call.blocks, call.blocks);
  arena from(call.scratch + mine * call.memory_bytes);
  typename value_sets_call<In, Index>::memory const room(from, call.blocks, call.how.most,
                                                         call.by_index());
  std::uint64_t const rows = call.of.rows ? *call.of.count : call.rows.count;
#pragma unroll 1
  for (std::uint64_t i = mine; i < rows; i += call.teams) {
    std::uint64_t const r = call.of.rows ? call.of.rows[i] : i;
    values_of_row(call, all, board, room, r);
    if (all.thread() == 0) note(call.how, detail::top_k_path::value_set);
    all.meet();  // the memory is free for the next row
  }
  all.leave();
}

}  // namespace tally::device
