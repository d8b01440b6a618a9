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

#include "tally/device/select/cut.cuh"
#include "tally/warp/reduce.cuh"
#include "tally/warp/top_k.cuh"

namespace tally::device {

// Groups of a team; a block has a power of two of them, each of neighbouring threads.
inline constexpr unsigned most_groups = 256;

struct sampling {
  unsigned of_block, groups;
  unsigned each;  // how many elements of its batch, or vectors of the row, a thread looks at
  unsigned rank;  // the guess is so many-th of the groups' best keys, counted from 1

  // For the k best of n elements, of which a thread looks at up to `most` times `size`, but no more
  // than that one in `sparse` is looked at.
  __device__ sampling(team const& all, std::uint64_t n, std::uint64_t k, unsigned most,
                      unsigned size, unsigned sparse) {
    of_block = most_groups;
    while (of_block * all.blocks() > most_groups) of_block /= 2;
    groups = of_block * all.blocks();
    each = most;
    float const at_once = float(all.threads()) * float(size);
    while (each > 1 && at_once * float(each) * float(sparse) > float(n)) each /= 2;
    while (each > 1 && expected(n, k, at_once) > 0.5f * float(groups)) each /= 2;
    // Groups whose best is among the k best: their mean, 4.3 deviations, and what a distribution
    // with a small mean is skewed by. Then the guess is too high once in some 100,000 rows.
    float const empty = expf(-expected(n, k, at_once) / float(groups));
    float const mean = float(groups) * (1 - empty);
    rank = unsigned(mean + 4.3f * sqrtf(mean * empty) + 5.5f);
  }
  // Whether so many groups can tell.
  __device__ bool can_tell() const { return rank <= groups - groups / 16; }

 private:
  // How many of the k best are in the sample.
  __device__ float expected(std::uint64_t n, std::uint64_t k, float at_once) const {
    float const looked_at = at_once * float(each) < float(n) ? at_once * float(each) : float(n);
    return float(k) * looked_at / float(n);
  }
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

// Of each of the block's groups the best key that its threads pass.
template <class Bits>
__device__ void find_best_of_groups(group_board<Bits>& shared, unsigned of_block, Bits mine,
                                    Bits* to) {
  unsigned const width = selecting_threads / of_block, warp = threadIdx.x / 32;
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
    unsigned const warps = width / 32;
    Bits best = shared.runs[threadIdx.x * warps];
    for (unsigned w = 1; w < warps; ++w) {
      Bits const other = shared.runs[threadIdx.x * warps + w];
      best = other > best ? other : best;
    }
    to[threadIdx.x] = best;
  }
}

// Sorts shared.best: runs of 32 by their warps, and each key's place among the others' runs by
// bisection.
template <class Bits>
__device__ void sort_groups(group_board<Bits>& shared) {
  unsigned const run = threadIdx.x / 32;
  bool const has_key = threadIdx.x < most_groups;
  Bits key = 0;
  if (has_key) {
    key = warp::sort(shared.best[threadIdx.x], larger_key{});
    shared.runs[threadIdx.x] = key;
  }
  __syncthreads();
  if (has_key) {
    unsigned place = threadIdx.x % 32;
#pragma unroll
    for (unsigned r = 0; r < most_groups / 32; ++r) {
      if (r == run) continue;
      // Equal keys are in the order of their runs.
      auto const before = [&](unsigned i) {
        Bits const other = shared.runs[32 * r + i];
        return other > key || (other == key && r < run);
      };
      unsigned found = 0;
#pragma unroll
      for (unsigned step = 16; step > 0; step /= 2)
        if (before(found + step - 1)) found += step;
      place += found + before(found);
    }
    shared.best[place] = key;
  }
  __syncthreads();
}

// Puts the best keys of the team's groups into shared.best, best first, with 0 behind them. `told`
// has room for them where the team has several blocks, which meet.
template <class Bits>
__device__ void compare_groups(team& all, group_board<Bits>& shared, sampling const& how,
                               Bits mine, Bits* told) {
  find_best_of_groups(shared, how.of_block, mine,
                      all.is_alone() ? shared.best : told + all.rank() * how.of_block);
  all.meet();
  if (threadIdx.x < most_groups && (!all.is_alone() || threadIdx.x >= how.groups))
    shared.best[threadIdx.x] = threadIdx.x < how.groups ? told[threadIdx.x] : Bits(0);
  __syncthreads();
  sort_groups(shared);
}

// Where in a row a thread looks at its vector number v, of `each`: the row is cut into as many
// stretches as the team looks at vectors, whose groups take turns, and each looks somewhere into
// its stretch. 0 <= the result < vectors.
__device__ inline std::uint64_t place_in_sample(team const& all, sampling const& how, unsigned v,
                                                std::uint64_t vectors) {
  unsigned const width = selecting_threads / how.of_block;
  unsigned const turn = threadIdx.x % width * how.of_block + threadIdx.x / width;
  std::uint64_t const looks = std::uint64_t(all.threads()) * how.each;
  std::uint64_t const look = (std::uint64_t(v) * selecting_threads + turn) * all.blocks() +
                             all.rank();
  std::uint32_t random = std::uint32_t(look) * 0x9e3779b1u;
  random = (random ^ random >> 15) * 0x85ebca77u;
  random ^= random >> 13;
  double const share = double(vectors) / double(looks);
  auto const at = std::uint64_t((double(look) + double(random) * 0x1p-32) * share);
  return at < vectors ? at : vectors - 1;
}

}  // namespace tally::device
