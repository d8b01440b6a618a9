// SPDX-License-Identifier: Apache-2.0
//
// How blocks compute exact sums: the agent of exact_sum, and of what else an adder like exact_adder
// adds up.
#pragma once

#include "tally/definition/sum.hpp"
#include "tally/device/grid/sparse_totals.cuh"
#include "tally/device/reduce/agent/agent.cuh"
#include "tally/device/reduce/rows/lanes_of_sums.cuh"
#include "tally/device/sum/exact.cuh"
#include "tally/device/sum/round.cuh"

namespace tally::device {

// Ziv's quick phase (double_double.hpp): rounds the sum once if its leading digits tell what to; by
// a whole warp.
template <floating R, class Number>
__device__ bool round_quickly(shared_sum<Number> const& s, digit_run const& run, R& out) {
  int const lane = int(threadIdx.x % warp_size);
  unsigned const seen = __ballot_sync(~0u, lane < specials && s.count(special(lane)) != 0);
  if (seen != 0) {
    auto const is_seen = [&](special x) { return seen >> int(x) & 1; };
    bool const below = is_seen(special::negative_infinity);
    bool const nan = is_seen(special::nan) || (below && is_seen(special::positive_infinity));
    out = nan ? quiet_nan<R>() : infinity<R>(below);
    return true;
  }
  auto const digit = [&](int i) { return s.digits.digit(i); };
  auto const few = [&](int i) { return i < run.size() ? digit(run.low + i) : 0; };
  if (run.size() <= few_digits) {
    out = round_few<R>(few(0), few(1), few(2), Number::lsb + 32 * run.low);
    return true;
  }
  auto const x = detail::approximation_of(digit, run.low, run.high, Number::lsb);
  return detail::round_within(x.value, 2 * x.error, x.exponent, out);
}
template <class Number>
__device__ digit_run run_of_digits(shared_sum<Number> const& s) {
  return digit_run([&](int i) { return s.word(i); }, Number::digits);
}

template <aggregate A, class Adder = exact_adder<typename A::element>>
struct sum_agent {
  using element = typename A::element;
  using result = typename A::result;
  using number = typename Adder::number;
  static constexpr int threads = 512, blocks_a_multiprocessor = 2;
  static constexpr bool loads_ahead = false, schedules_dynamically = true;
  static constexpr int totals = shared_sum<number>::words;
  static constexpr int words = status_words_of<totals>, sums = totals;
  static constexpr int dynamic_bytes = Adder::dynamic_bytes;

  struct shared {
    typename Adder::shared_type sum;
    unsigned long long digit[number::digits];  // for many of them
  };
  using accumulator = Adder;

  bool skips_nan;
  A a;

  __device__ void start(accumulator&, shared& s) const {
    s.sum.clear();
    Adder::clear_apart();
    __syncthreads();
  }

  template <class Batch, class Index>
  __device__ void add(accumulator& acc, shared& s, Batch& x, unsigned, Index) const {
    if (skips_nan) x.replace_nan_by_zero();
    if constexpr (gives_state<A>) set_specials_aside(x, s.sum);
    acc.add(x, s.sum);
  }
  __device__ void add(accumulator& acc, shared& s, element x, std::uint64_t) const {
    if (!skips_nan || !is_nan(x)) acc.add_one(x, s.sum);
  }

  __device__ void close(accumulator& acc, shared& s) const {
    acc.close(s.sum);
    __syncthreads();
    if (Adder::close_apart(s.sum)) __syncthreads();
  }

  __device__ void publish(accumulator const&, shared& s, mailbox const& to) const {
    publish_words<totals>([&](int i) { return s.sum.word(i); }, to);
  }

  __device__ void collect(accumulator&, shared& s, mailbox const& from, int blocks) const {
    collect_words<totals>(
        from, blocks, [&](int i, std::int64_t sum, int piece) { s.sum.add_word(i, sum, piece); });
  }

  __device__ bool finish(accumulator const&, shared& s, std::uint64_t, result* out) const {
    if constexpr (!gives_state<A>) {
      round(s, out);
    } else if (threadIdx.x == 0) {
      typename A::state sum;
      s.sum.store(sum);
      *out = a.lower(sum);
    }
    return true;
  }

 private:
  __device__ static void round(shared& s, result* out) {
    if (threadIdx.x >= warp_size) return;
    result sum{};
    digit_run const run = run_of_digits(s.sum);
    if (!round_quickly(s.sum, run, sum)) {
      for (int i = int(threadIdx.x); i < number::digits; i += warp_size) s.digit[i] = s.sum.word(i);
      __syncwarp();
      if (threadIdx.x == 0) sum = round_many<result>(s.digit, run, number::lsb);
    }
    if (threadIdx.x == 0) *out = sum;
  }
};

// agent_at_offset<Agent, Offset, Columns>::type is the agent, rebound: its dynamic shared memory
// begins at byte `Offset`, and has `Columns` columns of digits.
template <class Agent, int Offset, int Columns>
struct agent_at_offset;

template <floating T, floating R, floating State>
struct agent_for<exact_sum<T, R, State>> {
  using type = sum_agent<exact_sum<T, R, State>>;
};
template <floating T>
struct agent_for<exact_sum_state<T>> {
  using type = sum_agent<exact_sum_state<T>>;
};

}  // namespace tally::device
