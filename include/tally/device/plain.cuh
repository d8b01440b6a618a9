// SPDX-License-Identifier: Apache-2.0
//
// How blocks compute an any-order aggregate whose state is small: a state a thread, folded by
// shuffles.
#pragma once

#include "tally/aggregate/aggregate.hpp"
#include "tally/block/reduce.cuh"
#include "tally/device/slots.cuh"

namespace tally::device {

// A form says what a block does with an aggregate (reduce.cuh calls it):
//
//   shared, accumulator        what a block's threads share, and what each has for itself
//   start(acc, shared)         before the first element
//   add(acc, shared, x, live, index)   the elements x[k], of index index(k), where bit k of `live` is set
//   close(acc, shared)         the block's elements are all added
//   publish(acc, shared, slots, epoch), collect(acc, shared, slots, blocks, epoch)
//                              the other blocks' totals on their way to the first; `words` slots a block
//   finish(acc, shared, out)   the result
//
// All threads of a block call each of them together.
template <aggregate A>
struct plain_form {
  using element = typename A::element;
  using state = typename A::state;
  using result = typename A::result;
  static constexpr int words = (sizeof(state) + 7) / 8;
  static constexpr int chains = sizeof(state) <= 8 ? 4 : 1;  // so that additions do not wait

  struct shared {};
  struct accumulator {
    state chain[chains];
  };

  A a;
  bool skips_nan;

  static std::size_t dynamic_bytes(unsigned) { return 0; }  // of shared memory

  __device__ void start(accumulator& acc, shared&) const {
    for (state& s : acc.chain) s = a.identity();
  }

  template <int size, class Index>
  __device__ void add(accumulator& acc, shared&, element const (&x)[size], std::uint64_t live,
                      Index index) const {
    constexpr std::uint64_t all = ~std::uint64_t(0) >> (64 - size);
    if constexpr (floating<element>)
      if (skips_nan)
        for (int k = 0; k < size; ++k) live &= ~(std::uint64_t(is_nan(x[k])) << k);
    if (live == all) {
      if constexpr (requires { a.add(acc.chain[0], x, index); })
        a.add(acc.chain[0], x, index);
      else
        for (int k = 0; k < size; ++k) put(acc.chain[k % chains], x[k], index(k));
    } else {
      for (int k = 0; k < size; ++k)
        if (live >> k & 1) put(acc.chain[k % chains], x[k], index(k));
    }
  }

  __device__ void close(accumulator& acc, shared&) const {
    for (int k = 1; k < chains; ++k) acc.chain[0] = a.combine(acc.chain[0], acc.chain[k]);
    fold(acc);
  }

  __device__ void publish(accumulator const& acc, shared&, slot* at, std::uint32_t epoch) const {
    if (thread_index() != 0) return;
    std::uint64_t word[words] = {};
    memcpy(word, &acc.chain[0], sizeof(state));
    for (int i = 0; i < words; ++i) device::publish(at + i, word[i], epoch);
  }

  __device__ void collect(accumulator& acc, shared&, slot* slots, int blocks,
                          std::uint32_t epoch) const {
    state total = thread_index() == 0 ? acc.chain[0] : a.identity();
    for (int b = thread_index(); b < blocks; b += thread_count()) {
      std::uint64_t word[words];
      for (int i = 0; i < words; ++i) word[i] = await(slots + b * words + i, epoch);
      state s;
      memcpy(&s, word, sizeof(state));
      total = a.combine(total, s);
    }
    acc.chain[0] = total;
    fold(acc);
  }

  __device__ bool finish(accumulator const& acc, shared&, std::uint64_t, result* out) const {
    if (thread_index() != 0) return false;
    *out = a.lower(acc.chain[0]);
    if constexpr (requires { a.empty(acc.chain[0]); }) return !a.empty(acc.chain[0]);
    return true;
  }

 private:
  struct combining {
    A a;
    __device__ state operator()(state const& s, state const& t) const { return a.combine(s, t); }
  };
  __device__ void put(state& s, element x, std::uint64_t index) const {
    s = a.combine(s, a.lift(x, index));
  }
  __device__ void fold(accumulator& acc) const {
    if constexpr (requires { typename A::operator_type; })
      acc.chain[0] = block::reduce(acc.chain[0], typename A::operator_type{});
    else
      acc.chain[0] = block::reduce(acc.chain[0], combining{a});
  }
};

}  // namespace tally::device
