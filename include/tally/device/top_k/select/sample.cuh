// SPDX-License-Identifier: Apache-2.0
//
// A guess of where the k best of a row end, by a sample: R. W. Floyd and R. L. Rivest, "Expected
// time bounds for selection", 1975. What is guessed is never trusted: what lies above it is
// counted.
//
// The sample is cut into groups that are alike, and of each group only the best key is kept. Where
// a share p of the row is above x, the best key of a group of m is above x with probability
// 1 - (1 - p)^m. So how many groups' best are above x tells p, and the guess is one of these keys.
#pragma once

#include <cmath>

#include "tally/device/top_k/select/cut.cuh"
#include "tally/warp/reduce.cuh"
#include "tally/warp/top_k.cuh"

namespace tally::device {

// Groups of a team: of neighbouring lanes, or of warps that take turns, so that of a sorted row no
// group has the better part; where a team has more blocks than `most`, of several blocks.
inline constexpr unsigned most_groups = 256;

// Which of a row's vectors are looked at: the row is cut into as many stretches as there are looks,
// and each is somewhere in its stretch.
struct scattered {
  std::uint64_t step;  // vectors to a look, in units of 2^-32

  TALLY_FN scattered(std::uint64_t vectors, std::uint64_t looks) : step((vectors << 32) / looks) {}
  TALLY_FN std::uint64_t operator()(std::uint64_t look) const {
    std::uint32_t random = std::uint32_t(look) * 0x9e3779b1u;
    random = (random ^ random >> 15) * 0x85ebca77u;
    random ^= random >> 13;
    std::uint64_t const more = (step >> 32) * random + ((step & 0xffffffff) * random >> 32);
    return (look * step + more) >> 32;
  }
};

// A row that is read from memory, and not from L2, for so long that its sample takes some time.
inline constexpr std::uint64_t long_row = 1 << 22;
// So many blocks look at enough even if their threads look at little.
inline constexpr unsigned large_team = most_groups / 2 + 1;

struct sampling {
  unsigned groups;         // a power of two
  unsigned of_block;       // how many of them, or of their parts, a block has: a power of two
  unsigned vectors;        // how many a thread looks at
  unsigned elements;       // and at how many elements of each
  unsigned together;       // how many vectors lie side by side: memory is read 64 bytes at a time
  unsigned apart;          // of 2^apart neighbouring threads one looks
  scattered places{0, 1};  // of the first of so many
  unsigned rank;           // the guess is so many-th of the groups' best keys, counted from 1

  // For the k best of n elements, by so many blocks, from vectors of so many elements. A thread
  // looks at one, and at more only where all of them are no more than one element in 64.
  TALLY_FN sampling(unsigned blocks, std::uint64_t n, std::uint64_t k, unsigned of_vector)
      : vectors(8), elements(of_vector), together(1), apart(0) {
    if (blocks >= large_team) {
      vectors = 4;
      if (n >= long_row) together = 4;
    }
    groups = k <= 256 ? 64 : most_groups;
    of_block = groups;
    while (of_block > 1 && of_block * blocks > most_groups) of_block /= 2;
    if (groups > of_block * blocks)
      for (groups = 32; groups * 2 <= of_block * blocks;) groups *= 2;

    float const threads = float(blocks) * float(selecting_threads);
    auto const looked_at = [&] {
      float const all = threads / float(1u << apart) * float(vectors * elements);
      return all < float(n) ? all : float(n);
    };
    // More of the best in the sample than this would tell no more.
    float const share = k < n ? float(k) / float(n) : 1;
    float const enough = float(groups) * (groups < most_groups ? 0.2f : 0.5f);
    while (vectors > 1 && (64 * looked_at() > float(n) || looked_at() * share > enough))
      vectors /= 2;
    while (elements > 1 && looked_at() * share > enough) elements /= 2;
    // And where each group has one, as of a sorted row, all of them are among the best.
    unsigned const of_group = selecting_threads / of_block;
    while ((2u << apart) <= (of_group < 32 ? of_group : 32) &&
           looked_at() * share > 0.6f * float(groups))
      ++apart;

    std::uint64_t const looks =
        std::uint64_t(blocks) * (selecting_threads >> apart) * vectors / together;
    if (n / of_vector > together)
      places = scattered(n / of_vector - together, looks);
    else
      vectors = 0;  // the guess is that all are among the best

    // Groups whose best is among the k best: their mean, 4.3 deviations, and what a distribution
    // with a small mean is skewed by. Then the guess is too high once in some 100,000 rows.
    float const empty = share < 1 ? std::exp(looked_at() / float(groups) * std::log(1 - share)) : 0;
    float const mean = float(groups) * (1 - empty);
    rank = unsigned(mean + 4.3f * std::sqrt(mean * empty) + 5.5f);
  }
  // Blocks tell of parts, all of one block and then all of the next. This is the place of the p-th
  // among the parts as they lie in the row. Groups take turns at these, so that in a sorted row
  // their best are not in a few.
  __device__ unsigned place_of_part(unsigned p, unsigned blocks) const {
    return (p & (of_block - 1)) * blocks + (p >> (__ffs(int(of_block)) - 1));
  }
  // Whether this thread looks at any.
  __device__ bool is_looking() const { return (threadIdx.x & ((1u << apart) - 1)) == 0; }
  // Whether so many groups can tell.
  TALLY_FN bool can_tell() const { return rank <= groups - groups / 16; }
};

// What the threads of a block share: the best keys of all groups, best first at the end.
template <class Bits>
struct group_board {
  Bits best[most_groups];
  Bits runs[most_groups];
};

struct larger_key {
  template <class Bits>
  __device__ bool operator()(Bits a, Bits b) const {
    return a > b;
  }
};

// The best key that its threads pass for each of the block's groups, to to[group].
template <class Bits>
__device__ void find_best_of_groups(group_board<Bits>& shared, unsigned of_block, Bits mine,
                                    Bits* to) {
  unsigned const width = selecting_threads / of_block, warp = threadIdx.x / 32;
#pragma unroll 1
  for (unsigned flip = 1; flip < width && flip < 32; flip *= 2) {
    Bits const other = warp::exchange(mine, int(flip));
    mine = other > mine ? other : mine;
  }
  if (width <= 32) {
    if (threadIdx.x % width == 0) to[threadIdx.x / width] = mine;
    return;
  }
  if (threadIdx.x % 32 == 0) shared.runs[warp] = mine;
  __syncthreads();
  if (threadIdx.x < of_block) {
    Bits best = shared.runs[threadIdx.x];
    for (unsigned w = threadIdx.x + of_block; w < selecting_threads / 32; w += of_block) {
      Bits const other = shared.runs[w];
      best = other > best ? other : best;
    }
    to[threadIdx.x] = best;
  }
}

// Few keys in order, each of the first threads' one: eight threads compare each with all others.
template <class Bits>
__device__ void order_few(group_board<Bits>& shared, unsigned groups) {
  constexpr unsigned each = 8;
  unsigned const mine = threadIdx.x / each, part = threadIdx.x % each;
  Bits const key = shared.runs[mine];
  unsigned place = 0;
#pragma unroll
  for (unsigned j = 0; j < each; ++j) {
    unsigned const i = part * each + j;
    Bits const other = shared.runs[i];
    place += i < groups && (other > key || (other == key && i < mine));
  }
  place += warp::exchange(place, 1);
  place += warp::exchange(place, 2);
  place += warp::exchange(place, 4);
  if (part == 0 && mine < groups) shared.best[place] = key;
}

// More of them: runs of 32 by warps, and each key's place among the other runs by bisection. Of two
// threads each looks into half of the runs.
template <class Bits>
__device__ void order_many(group_board<Bits>& shared, unsigned groups) {
  Bits key = 0;
  if (threadIdx.x < groups) {
    key = shared.runs[threadIdx.x];
#pragma unroll 1
    for (int size = 2; size <= 32; size *= 2)
#pragma unroll 1
      for (int flip = size / 2; flip > 0; flip /= 2)
        key = warp::detail::compare_exchange<32>(key, flip, size < 32 && (threadIdx.x & size),
                                                 larger_key{});
    shared.runs[threadIdx.x] = key;
  }
  __syncthreads();
  unsigned const mine = threadIdx.x / 2, run = mine / 32, runs = groups / 32;
  key = mine < groups ? shared.runs[mine] : Bits(0);
  unsigned place = 0;
#pragma unroll
  for (unsigned h = 0; h < most_groups / 64; ++h) {
    unsigned const r = 2 * h + threadIdx.x % 2;
    if (r >= runs) break;
    // Equal keys are in the order of their runs.
    auto const before = [&](unsigned i) {
      Bits const other = shared.runs[32 * r + i];
      return other > key || (other == key && r < run);
    };
    unsigned found = 0;
#pragma unroll
    for (unsigned step = 16; step > 0; step /= 2)
      if (before(found + step - 1)) found += step;
    place += r == run ? mine % 32 : found + before(found);
  }
  place += warp::exchange(place, 1);
  if (threadIdx.x % 2 == 0 && mine < groups) shared.best[place] = key;
}

// The best key of each of the team's groups, of what its blocks have told.
template <class Bits>
__device__ void find_best_of_parts(team const& all, group_board<Bits>& shared, sampling const& how,
                                   Bits const* told) {
  unsigned const parts = how.of_block * all.blocks(), t = threadIdx.x;
  if (t < parts) shared.best[how.place_of_part(t, all.blocks())] = told[t];
  __syncthreads();
  if (t >= how.groups) return;
  Bits key = 0;
#pragma unroll 1
  for (unsigned p = t; p < parts; p += how.groups) {
    Bits const other = shared.best[p];
    key = other > key ? other : key;
  }
  shared.runs[t] = key;
}

// Puts the groups' best keys, which are in shared.runs, into shared.best, best first.
template <class Bits>
__device__ void order_groups(group_board<Bits>& shared, unsigned groups) {
  __syncthreads();
  if (groups <= 64)
    order_few(shared, groups);
  else
    order_many(shared, groups);
  __syncthreads();
}

// Puts the best keys of the team's groups into shared.best, best first. `told` has room for what
// the blocks tell, of a team of several, which meets.
template <class Bits>
__device__ void compare_groups(team& all, group_board<Bits>& shared, sampling const& how, Bits mine,
                               Bits* told) {
  Bits* const to = all.is_alone() ? shared.best : told + all.rank() * how.of_block;
  find_best_of_groups(shared, how.of_block, mine, to);
  all.meet();
  if (!all.is_alone())
    find_best_of_parts(all, shared, how, told);
  else if (threadIdx.x < how.groups)
    shared.runs[threadIdx.x] = shared.best[threadIdx.x];
  order_groups(shared, how.groups);
}

// Where in a row a thread that looks does so, its vector number v. Groups take turns, and
// neighbours have neighbouring vectors.
__device__ inline std::uint64_t place_in_sample(team const& all, sampling const& how, unsigned v) {
  unsigned const width = selecting_threads / how.of_block;
  unsigned const warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  unsigned const group = width <= 32 ? threadIdx.x / width : warp % how.of_block;
  unsigned const in_group = width <= 32 ? threadIdx.x % width : warp / how.of_block * 32 + lane;
  unsigned const turn = ((v * selecting_threads + in_group * how.of_block) >> how.apart) + group;
  auto const first = how.places(turn / how.together * all.blocks() + all.rank());
  return first / how.together * how.together + turn % how.together;
}

}  // namespace tally::device
