// SPDX-License-Identifier: Apache-2.0
//
// How blocks compute an aggregate that takes any order and whose state is small: a state a thread,
// folded by shuffles.
#pragma once

#include "tally/aggregate/aggregate.hpp"
#include "tally/device/grid/status_word.cuh"
#include "tally/device/grid/tile_states.cuh"
#include "tally/device/identity.cuh"
#include "tally/device/input/load.cuh"
#include "tally/warp/reduce.cuh"

namespace tally::device {

// Where the warps of a block leave their folds for the first one, or others so many states.
template <class State, int Count>
struct fold_places {
  alignas(16) unsigned char memory[Count * sizeof(State)];  // in which no constructor has run
  __device__ State& operator[](unsigned i) { return reinterpret_cast<State*>(memory)[i]; }
};

// The fold of the first `count` threads' states in a block of whole warps, in the first thread;
// those of the others are the identity. fold_warp(state) gives a warp's fold in its first lane.
// Calls with the same `of_warp` need a barrier between.
template <class State, int Warps, class FoldWarp>
__device__ State fold_block(State s, State identity, fold_places<State, Warps>& of_warp,
                            FoldWarp fold_warp, unsigned count = blockDim.x) {
  static_assert(Warps <= warp_size);
  unsigned const lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
  unsigned const warps = min(count + warp_size - 1, blockDim.x) / warp_size;
  s = fold_warp(s);
  if (warps == 1) return s;
  if (lane == 0) of_warp[warp] = s;
  __syncthreads();
  if (warp == 0) s = fold_warp(lane < warps ? of_warp[lane] : identity);
  return s;
}

// Which elements of a batch count.
struct all_elements {
  static constexpr bool skip_nan = false;
  TALLY_FN bool operator()(int) const { return true; }
  TALLY_FN bool has_vector(int) const { return true; }
};
template <class Batch>
struct numbers_of {
  static constexpr bool skip_nan = true;
  Batch const& x;
  unsigned live;  // vectors
  TALLY_FN bool operator()(int k) const { return has_vector(k / Batch::each) && !is_nan(x[k]); }
  TALLY_FN bool has_vector(int j) const { return live >> j & 1; }
};

// The agent (agent.cuh) of an aggregate A with a small state. An aggregate that is made for it, as
// those of extrema.cuh are, may have two members more:
//
//   add(s, x, index, is_there)  adds the elements x[k] of a batch of which is_there(k): all, or the
//                               numbers of some vectors
//   fold_warp(s)                the states of a warp's lanes combined, in the first one
template <aggregate A, int Chains = sizeof(typename A::state) <= 8 ? 4 : 1>
struct plain_agent {
  using element = typename A::element;
  using state = typename A::state;
  using result = typename A::result;
  static constexpr int threads = 512, blocks_a_multiprocessor = 2;
  static constexpr bool loads_ahead = false, schedules_dynamically = true;
  static constexpr int words = words_of<state>, sums = 0;
  static constexpr int dynamic_bytes = 0;
  static constexpr int chains = Chains;  // so that additions do not wait for one another

  using places = fold_places<state, threads / warp_size>;
  struct shared {
    places own, all;
  };
  struct accumulator {
    state chain[chains];
  };

  bool skips_nan;
  A a;

  __device__ void start(accumulator& acc, shared&) const {
    for (state& s : acc.chain) s = a.identity();
  }

  template <class Batch, class Index>
  __device__ void add(accumulator& acc, shared&, Batch const& x, unsigned live, Index index) const {
    if constexpr (has_nan<element>)
      if (skips_nan) return add_batch(acc, x, index, numbers_of<Batch>{x, live});
    if (live == (1u << x.vectors) - 1)
      add_batch(acc, x, index, all_elements{});
    else
#pragma unroll
      for (int j = 0; j < x.vectors; ++j)
        if (live >> j & 1)
          add_batch(
              acc, vector_of<element>(x, j), [&](int k) { return index(j * x.each + k); },
              all_elements{});
  }
  __device__ void add(accumulator& acc, shared&, element x, std::uint64_t index) const {
    if (counts(x)) put(acc.chain[0], x, index);
  }

  __device__ void close(accumulator& acc, shared& s) const {
    for (int k = 1; k < chains; ++k) acc.chain[0] = a.combine(acc.chain[0], acc.chain[k]);
    fold(acc, s.own);
  }

  __device__ void publish(accumulator const& acc, shared&, mailbox const& to) const {
    if (int(threadIdx.x) != 0) return;
    tile_states<state>(to.words, to.epoch).publish(blockIdx.x - 1, acc.chain[0]);
  }

  __device__ void collect(accumulator& acc, shared& s, mailbox const& from, int blocks) const {
    tile_states<state> const totals(from.words, from.epoch);
    state total = int(threadIdx.x) == 0 ? acc.chain[0] : a.identity();
    for (int b = int(threadIdx.x); b < blocks; b += int(blockDim.x))
      total = a.combine(total, totals.await(b));
    acc.chain[0] = total;
    fold(acc, s.all, unsigned(blocks));
  }

  __device__ bool finish(accumulator const& acc, shared&, std::uint64_t, result* out) const {
    if (int(threadIdx.x) != 0) return false;
    *out = lower_or_none(a, acc.chain[0]);
    if constexpr (requires { a.empty(acc.chain[0]); }) return !a.empty(acc.chain[0]);
    return true;
  }

 private:
  template <class Batch, class Index, class IsThere>
  __device__ void add_batch(accumulator& acc, Batch const& x, Index index, IsThere is_there) const {
    if constexpr (requires { a.add(acc.chain[0], x, index, is_there); }) {
      a.add(acc.chain[0], x, index, is_there);
    } else {
#pragma unroll
      for (int k = 0; k < x.size; ++k)
        if (is_there(k)) put(acc.chain[k % chains], x[k], index(k));
    }
  }
  __device__ bool counts(element x) const {
    if constexpr (has_nan<element>) return !skips_nan || !is_nan(x);
    return true;
  }
  __device__ void put(state& s, element x, std::uint64_t index) const {
    s = a.combine(s, a.lift(x, index));
  }
  __device__ void fold(accumulator& acc, places& of_warp, unsigned count = blockDim.x) const {
    acc.chain[0] = fold_block(
        acc.chain[0], a.identity(), of_warp, [&](state const& s) { return fold_warp(s); }, count);
  }
  __device__ state fold_warp(state const& s) const {
    if constexpr (requires { a.fold_warp(s); })
      return a.fold_warp(s);
    else
      return warp::reduce(s, [this](state const& l, state const& r) { return a.combine(l, r); });
  }
};

}  // namespace tally::device
