// SPDX-License-Identifier: Apache-2.0
//
// How blocks compute an any-order aggregate whose state is small: a state a thread, folded by
// shuffles.
#pragma once

#include "tally/aggregate/aggregate.hpp"
#include "tally/device/fold.cuh"
#include "tally/device/grid/slots.cuh"
#include "tally/device/input/load.cuh"

namespace tally::device {

// A form says what a block does with an aggregate (reduce.cuh calls it):
//
//   threads, blocks_a_multiprocessor  of a launch that is not small
//   dynamic_bytes              of shared memory, beside `shared`
//   shared, accumulator        what a block's threads share, and what each has for itself
//   start(acc, shared)         before the first element
//   add(acc, shared, x, live, index)
//                              the elements x[k], of index index(k), some vectors of them: vector j
//                              if bit j of `live` is set, else zeros that do not count
//   add(acc, shared, x, index) a single element, by some threads
//   close(acc, shared)         the block's elements are all added
//   publish(acc, shared, channel), collect(acc, shared, channel, blocks)
//                              the other blocks' totals on their way to the first, by `words` slots
//                              a block, the second block's first, and `sums` sums of all
//   finish(acc, shared, n, out)  writes the result; whether there is one
//
// All threads of a block call each of the others together.
template <aggregate A, int Chains = sizeof(typename A::state) <= 8 ? 4 : 1>
struct plain_form {
  using element = typename A::element;
  using state = typename A::state;
  using result = typename A::result;
  static constexpr int threads = 512, blocks_a_multiprocessor = 2;
  static constexpr bool draws_tiles = true;
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
    if (has_nan<element> && skips_nan)
      add_batch(acc, x, index, [&](int k) { return (live >> k / x.each & 1) && counts(x[k]); });
    else if (live == (1u << x.vectors) - 1)
      add_batch(acc, x, index, [](int) { return true; });
    else
#pragma unroll
      for (int j = 0; j < x.vectors; ++j)
        if (live >> j & 1)
          add_batch(
              acc, vector_of<element>(x, j), [&](int k) { return index(j * x.each + k); },
              [](int) { return true; });
    if constexpr (requires { A::learns_ends; }) {
      auto& s = acc.chain[0];
      a.learn(s, warp::detail::redux_of(s.least.value, smaller{}),
              warp::detail::redux_of(s.greatest.value, larger{}));
    }
  }
  __device__ void add(accumulator& acc, shared&, element x, std::uint64_t index) const {
    if (counts(x)) put(acc.chain[0], x, index);
  }

  __device__ void close(accumulator& acc, shared& s) const {
    for (int k = 1; k < chains; ++k) acc.chain[0] = a.combine(acc.chain[0], acc.chain[k]);
    fold(acc, s.own);
  }

  __device__ void publish(accumulator const& acc, shared&, channel const& to) const {
    if (int(threadIdx.x) != 0) return;
    publish_state(acc.chain[0], to.slots + (blockIdx.x - 1) * words, to.epoch);
  }

  __device__ void collect(accumulator& acc, shared& s, channel const& from, int blocks) const {
    state total = int(threadIdx.x) == 0 ? acc.chain[0] : a.identity();
    for (int b = int(threadIdx.x); b < blocks; b += int(blockDim.x))
      total = a.combine(total, await_state<state>(from.slots + b * words, from.epoch));
    acc.chain[0] = total;
    fold(acc, s.all, unsigned(blocks));
  }

  __device__ bool finish(accumulator const& acc, shared&, std::uint64_t, result* out) const {
    if (int(threadIdx.x) != 0) return false;
    *out = a.lower(acc.chain[0]);
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
    if constexpr (requires { typename A::key_operator; }) {
      return fold_best<typename A::key_operator>(s);
    } else if constexpr (requires { typename A::operator_type; }) {
      return warp::reduce(s, typename A::operator_type{});
    } else {
      return warp::reduce(s, [this](state const& l, state const& r) { return a.combine(l, r); });
    }
  }
};

// The form of an aggregate that takes any order. Others are in headers of their own.
template <aggregate A>
struct form_for {
  static_assert(sizeof(typename A::state) <= 128,
                "a state of more than 128 bytes: include <tally/gpu_aggregates.cuh>");
  using type = plain_form<A>;
};

template <aggregate A>
auto form_of(A const& a, bool skips_nan) {
  if constexpr (requires { a.on_device(); })
    return form_of(a.on_device(), skips_nan);
  else if constexpr (requires { form_for<A>::make(a, skips_nan); })
    return form_for<A>::make(a, skips_nan);
  else
    return typename form_for<A>::type{skips_nan, a};
}

}  // namespace tally::device
