// SPDX-License-Identifier: Apache-2.0
//
// The place of each of some thousand entries in their order: they are put into bins, and compared
// with those of their bin alone. Some of the entries, in order, are edges, and between two edges
// there are bins of equal width: so that most bins have one entry or two, however the entries are
// distributed, and however many are alike.
#pragma once

#include "tally/block/scan.cuh"
#include "tally/device/rows/team.cuh"
#include "tally/device/top_k/select/ranked.cuh"
#include "tally/warp/reduce.cuh"

namespace tally::device {

inline constexpr unsigned edges = 63, bins_of_edge = 32, bins = (edges + 1) * bins_of_edge;
// So few entries are all compared with one another, by one block or by several.
inline constexpr unsigned few_of_a_block = 160, few_entries = 256;

struct alignas(16) four_bins {
  unsigned of[4];
};

// What the threads of a block share.
template <class Entry>
struct place_board {
  // How many entries four bins have; where each begins; and when all are there, where it ends.
  four_bins bins[device::bins / 4];
  Entry sample[edges + 1], edge[edges + 1];
  float bins_per_distance[edges + 1];
  unsigned begin, end;  // of a part's places: each ends with a bin

  __device__ unsigned& bin(unsigned b) { return reinterpret_cast<unsigned*>(bins)[b]; }
};

// Some of the entries in the order of their bins, those of a bin in any order, and the bin of each.
// In shared memory.
template <class Entry>
struct binned {
  Entry* entries;
  std::uint16_t* bins;
  unsigned room;
};

// How many of some neighbours come before an entry.
template <class Rank, int Together, class T>
__device__ unsigned how_many_before(T const* in, T const& mine) {
  struct alignas(16) neighbours {
    T of[Together];
  };
  neighbours const x = *reinterpret_cast<neighbours const*>(in);
  unsigned found = 0;
#pragma unroll
  for (int j = 0; j < Together; ++j) found += Rank::first(x.of[j], mine);
  return found;
}

// Calls emit(i, entry) for the entries from `begin` to `end`, where i is the entry's place in their
// order. It is in the stretch [first, last) that stretch(i, first, last) tells of the entry i: all
// before this stretch are before it, and those behind are not, of which there are three more. An
// entry is compared with a few together. Where there are more threads than entries, up to eight
// lanes share one.
template <class Rank, unsigned Together, class T, class Stretch, class Emit>
__device__ void compare_in_stretches(T const* in, unsigned begin, unsigned end, Stretch stretch,
                                     Emit emit) {
  unsigned const warps = selecting_threads / 32, lane = threadIdx.x % 32;
  unsigned share = 0;  // the logarithm of how many lanes share an entry
  while (share < 3 && (end - begin) << share <= 16 * warps) ++share;
  unsigned const lanes = 1u << share, each = 32 >> share;
#pragma unroll 1
  for (unsigned from = begin + threadIdx.x / 32 * each; from < end; from += warps * each) {
    unsigned const i = from + (lane >> share);
    bool const there = i < end;
    T const mine = in[there ? i : from];
    unsigned first = 0, last = 0;
    if (there) stretch(i, first, last);
    first -= first % Together;  // where vectors can be loaded: what is before is before
    unsigned earlier = 0;
#pragma unroll 1
    for (unsigned other = first + Together * (lane & (lanes - 1)); other < last;
         other += Together * lanes)
      earlier += how_many_before<Rank, Together>(in + other, mine);
#pragma unroll 1
    for (unsigned flip = 1; flip < lanes; flip *= 2) earlier += warp::exchange(earlier, int(flip));
    if (there && (lane & (lanes - 1)) == 0) emit(first + earlier, mine);
  }
}

// Which of `count` entries is an edge's: somewhere in its share of them.
TALLY_FN unsigned place_of_edge(unsigned edge, unsigned count) {
  std::uint32_t random = edge * 0x9e3779b1u;
  random = (random ^ random >> 15) * 0x85ebca77u;
  random ^= random >> 13;
  unsigned const first = edge * count / edges, behind = (edge + 1) * count / edges;
  return first + unsigned(std::uint64_t(random) * (behind - first) >> 32);
}

// Puts the sample, in which no two are alike, into its order: eight threads compare each with all.
template <class Rank, class T>
__device__ void order_sample(place_board<T>& shared) {
  constexpr unsigned each = 8;
  __syncthreads();
  unsigned const mine = threadIdx.x / each, part = threadIdx.x % each;
  T const x = shared.sample[mine < edges ? mine : 0];
  unsigned place = 0;
#pragma unroll
  for (unsigned j = 0; j < each; ++j) {
    unsigned const i = part * each + j;
    T const other = shared.sample[i < edges ? i : 0];
    place += i < edges && Rank::first(other, x);
  }
  place += warp::exchange(place, 1);
  place += warp::exchange(place, 2);
  place += warp::exchange(place, 4);
  if (part == 0 && mine < edges) shared.edge[place] = x;
  __syncthreads();
}

// Some of more than `edges` entries become edges.
template <class Rank, class T, class Entry>
__device__ void find_edges(place_board<T>& shared, unsigned count, Entry entry) {
  if (threadIdx.x < edges) shared.sample[threadIdx.x] = entry(place_of_edge(threadIdx.x, count));
  order_sample<Rank>(shared);
  // Beyond the first and the last edge bins are four times as wide as between those next to them.
  if (threadIdx.x <= edges) {
    unsigned const e = threadIdx.x;
    bool const is_outer = e == 0 || e == edges;
    unsigned const before = e == 0 ? 0 : e == edges ? edges - 3 : e - 1;
    float const width =
        Rank::distance(shared.edge[before], shared.edge[before + (is_outer ? 2 : 1)]);
    shared.bins_per_distance[e] = float(bins_of_edge) / (is_outer ? 4 * width : width);
  }
  __syncthreads();
}

// How many of the edges come before an entry.
template <class Rank, class T>
__device__ unsigned edges_before(place_board<T> const& shared, T const& x) {
  unsigned found = 0;
#pragma unroll
  for (unsigned step = (edges + 1) / 2; step > 0; step /= 2)
    if (Rank::first(shared.edge[found + step - 1], x)) found += step;
  return found;
}

// It rises with an entry's place.
template <class Rank, class T>
__device__ unsigned bin_of(place_board<T> const& shared, T const& x) {
  unsigned const e = edges_before<Rank>(shared, x);
  float const from_edge =
      e == 0 ? Rank::distance(x, shared.edge[0]) : Rank::distance(shared.edge[e - 1], x);
  float const bin = from_edge * shared.bins_per_distance[e];
  unsigned const turn = bin < float(bins_of_edge - 1) ? unsigned(bin) : bins_of_edge - 1;
  return e * bins_of_edge + (e == 0 ? bins_of_edge - 1 - turn : turn);
}

// Where bins begin, from how many entries they have; and which of them end with the places before
// `low` and before `high`. Returns whether any that begins before `limit` has more than `most`.
template <class T>
__device__ bool find_bins(place_board<T>& shared, unsigned limit, unsigned low, unsigned high,
                          unsigned most) {
  static_assert(bins == 4 * selecting_threads);
  four_bins const count = shared.bins[threadIdx.x];
  four_bins at;
  at.of[0] = block::exclusive_scan<selecting_threads>(
      count.of[0] + count.of[1] + count.of[2] + count.of[3], plus{}, 0u);
  bool too_many = false;
#pragma unroll
  for (unsigned b = 0; b < 4; ++b) {
    unsigned const first = at.of[b], last = first + count.of[b];
    if (b < 3) at.of[b + 1] = last;
    if (first < low && low <= last) shared.begin = last;
    if (first < high && high <= last) shared.end = last;
    too_many |= first < limit && count.of[b] > most;
  }
  shared.bins[threadIdx.x] = at;
  return __syncthreads_or(too_many);
}

// Entries that are after all others.
template <class Rank, class T>
__device__ void put_last(T* at) {
  if (threadIdx.x < 3) at[threadIdx.x] = Rank::of(0, ~0u);
}

// Calls emit(place, entry) for some of `count` entries, by all `parts` for all: each entry has some
// lanes, which compare it with all others. Three more follow, which come last.
template <class Rank, unsigned Lanes, class T, class Emit>
__device__ void place_by_lanes(unsigned part, unsigned parts, T const* in, unsigned count,
                               Emit emit) {
  constexpr unsigned together = 4, of_warp = 32 / Lanes;
  unsigned const lane = threadIdx.x % Lanes, slot = threadIdx.x / Lanes;
#pragma unroll 1
  for (unsigned i = part + parts * slot; i - parts * (slot % of_warp) < count;
       i += parts * (selecting_threads / Lanes)) {
    T const mine = in[i < count ? i : 0];
    unsigned place = 0;
#pragma unroll 1
    for (unsigned other = together * lane; other < count; other += together * Lanes)
      place += how_many_before<Rank, together>(in + other, mine);
#pragma unroll
    for (unsigned flip = 1; flip < Lanes; flip *= 2) place += warp::exchange(place, int(flip));
    if (lane == 0 && i < count) emit(place, mine);
  }
}
// The same for entries that entry(i) tells; in `room`, which has some for three more.
template <class Rank, class T, class Entry, class Emit>
__device__ void place_few_entries(unsigned part, unsigned parts, T* room, unsigned count,
                                  Entry entry, Emit emit) {
#pragma unroll 1
  for (unsigned i = threadIdx.x; i < count; i += selecting_threads) room[i] = entry(i);
  put_last<Rank>(room + count);
  __syncthreads();
  if (parts == 1)
    place_by_lanes<Rank, 4>(part, parts, room, count, emit);
  else
    place_by_lanes<Rank, 16>(part, parts, room, count, emit);
}

// The same for the few entries from `begin` to `end` of many: they are the edges, and all others
// are counted between them.
template <class Rank, class T, class Entry, class Emit>
__device__ void place_own_entries(place_board<T>& shared, unsigned begin, unsigned end,
                                  unsigned count, Entry entry, Emit emit) {
  unsigned const t = threadIdx.x, own = end - begin;
  if (t < edges) shared.sample[t] = t < own ? entry(begin + t) : Rank::of(0, ~t);  // behind all
  shared.bins[t] = {};
  order_sample<Rank>(shared);
  // Each warp counts by itself. Its counters are in as many banks as there can be.
  constexpr unsigned warps = selecting_threads / 32;
  constexpr unsigned at_once = 4;
#pragma unroll 1
  for (unsigned first = t; first < count; first += at_once * selecting_threads) {
    T x[at_once];
#pragma unroll
    for (unsigned j = 0; j < at_once; ++j) {
      unsigned const i = first + j * selecting_threads;
      x[j] = entry(i < count ? i : first);
    }
#pragma unroll
    for (unsigned j = 0; j < at_once; ++j) {
      unsigned const e = edges_before<Rank>(shared, x[j]);
      if (first + j * selecting_threads < count)
        atomicAdd(&shared.bin(e * warps + (t / 32 + e / 2) % warps), 1u);
    }
  }
  __syncthreads();
  unsigned const edge = t / (warps / 2);
  unsigned const through =
      block::inclusive_scan<selecting_threads>(shared.bin(2 * t) + shared.bin(2 * t + 1), plus{});
  if (t % (warps / 2) == warps / 2 - 1 && edge < own) emit(through - 1, shared.edge[edge]);
}

// Calls emit(place, entry) for each entry whose place is below `limit`, of `count` of them, which
// entry(i) tells. `tags` have room for `count`, and `to` for few_entries, and for all or for a part
// of those below the limit, and for seven more. All `parts` call this with the same entries, and
// each emits some. Returns false, in all of them, and emits nothing, where more are in one bin than
// there is room beside that part.
template <class Rank, class T, class Entry, class Emit>
__device__ bool place_entries(unsigned part, unsigned parts, place_board<T>& shared,
                              binned<T> const& to, std::uint16_t* tags, unsigned count,
                              unsigned limit, Entry entry, Emit emit) {
  auto const emit_below_limit = [&](unsigned place, T const& x) {
    if (place < limit) emit(place, x);
  };
  if (count <= (parts == 1 ? few_of_a_block : few_entries)) {
    place_few_entries<Rank>(part, parts, to.entries, count, entry, emit_below_limit);
    return true;
  }
  unsigned const own = (count + parts - 1) / parts;
  if (own <= edges) {
    unsigned const begin = part * own < count ? part * own : count;
    place_own_entries<Rank>(shared, begin, begin + own < count ? begin + own : count, count, entry,
                            emit_below_limit);
    return true;
  }
  limit = limit < count ? limit : count;
  unsigned const share = (limit + parts - 1) / parts;
  unsigned const low = part * share < limit ? part * share : limit;
  unsigned const high = low + share < limit ? low + share : limit;

  shared.bins[threadIdx.x] = {};
  if (threadIdx.x == 0) shared.begin = shared.end = 0;
  find_edges<Rank>(shared, count, entry);
#pragma unroll 1
  for (unsigned i = threadIdx.x; i < count; i += selecting_threads) {
    unsigned const bin = bin_of<Rank>(shared, entry(i));
    tags[i] = std::uint16_t(bin);
    atomicAdd(&shared.bin(bin), 1u);
  }
  __syncthreads();
  unsigned const most_in_bin = count + 3 <= to.room ? count : to.room - share - 7;
  if (find_bins(shared, limit, low, high, most_in_bin)) return false;
  // Some before the part's own are there, too, so that vectors can be loaded.
  unsigned const begin = shared.begin, end = shared.end, from = begin & ~3u;
#pragma unroll 1
  for (unsigned i = threadIdx.x; i < count; i += selecting_threads) {
    unsigned const bin = tags[i], at = atomicAdd(&shared.bin(bin), 1u);
    if (from <= at && at < end)
      to.entries[at - from] = entry(i), to.bins[at - from] = std::uint16_t(bin);
  }
  put_last<Rank>(to.entries + (end - from));
  __syncthreads();
  compare_in_stretches<Rank, 2>(
      to.entries, begin - from, end - from,
      [&](unsigned i, unsigned& first, unsigned& last) {
        unsigned const bin = to.bins[i];
        first = (bin ? shared.bin(bin - 1) : 0) - from, last = shared.bin(bin) - from;
      },
      [&](unsigned i, T const& x) { emit_below_limit(from + i, x); });
  return true;
}

}  // namespace tally::device
