// SPDX-License-Identifier: Apache-2.0
//
// How blocks compute exact sums: the form (plain.cuh) of exact_sum, and of what else an adder like
// exact_adder adds up.
#pragma once

#include "tally/aggregate/sum.hpp"
#include "tally/device/exact.cuh"
#include "tally/device/plain.cuh"
#include "tally/device/round.cuh"
#include "tally/device/words.cuh"

namespace tally::device {

template <aggregate A, class Adder = exact_adder<typename A::element>>
struct sum_form {
  using element = typename A::element;
  using result = typename A::result;
  using number = typename Adder::number;
  static constexpr int threads = 512, blocks_a_multiprocessor = 2;
  static constexpr int totals = shared_sum<number>::words;
  static constexpr int words = slots_of_words<totals>;

  struct shared {
    typename Adder::shared_type sum;
    unsigned long long digit[number::digits];  // for many of them
  };
  using accumulator = Adder;

  bool skips_nan;
  A a;

  static std::size_t dynamic_bytes(unsigned threads) { return accumulator::dynamic_bytes(threads); }

  __device__ void start(accumulator&, shared& s) const {
    s.sum.clear();
    __syncthreads();
  }

  template <class Batch, class Index>
  __device__ void add(accumulator& acc, shared& s, Batch& x, unsigned, Index) const {
    if (skips_nan) x.replace_nan_by_zero();
    acc.add(x, s.sum);
  }
  __device__ void add(accumulator& acc, shared& s, element x, std::uint64_t) const {
    if (!skips_nan || !is_nan(x)) acc.add_one(x, s.sum);
  }

  __device__ void close(accumulator& acc, shared& s) const {
    acc.close(s.sum);
    __syncthreads();
  }

  __device__ void publish(accumulator const&, shared& s, slot* slots, std::uint32_t epoch) const {
    publish_words<totals>([&](int i) { return s.sum.word(i); }, slots + (blockIdx.x - 1) * words,
                          epoch);
  }

  __device__ void collect(accumulator&, shared& s, slot* slots, int blocks,
                          std::uint32_t epoch) const {
    collect_words<totals>(slots, blocks, epoch,
                          [&](int i, std::int64_t sum, int part) { s.sum.add_word(i, sum, part); });
    __syncthreads();
  }

  __device__ bool finish(accumulator const&, shared& s, std::uint64_t, result* out) const {
    if (threadIdx.x >= warp_size) return true;
    digit_run const run([&](int i) { return s.sum.word(i); }, number::digits);
    bool const few = run.size() <= few_digits;
    if (!few) {
      for (int i = int(threadIdx.x); i < number::digits; i += warp_size) s.digit[i] = s.sum.word(i);
      __syncwarp();
    }
    if (threadIdx.x != 0) return true;
    if (s.sum.nan || s.sum.positive_infinity || s.sum.negative_infinity) {
      bool const nan = s.sum.nan || (s.sum.positive_infinity && s.sum.negative_infinity);
      *out = nan ? quiet_nan<result>() : infinity<result>(s.sum.negative_infinity != 0);
    } else if (few) {
      auto const digit = [&](int i) {
        return i < run.size() ? s.sum.digits.digit(run.low + i) : 0;
      };
      *out = round_few<result>(digit(0), digit(1), digit(2), number::lsb + 32 * run.low);
    } else {
      *out = round_many<result>(s.digit, run, number::lsb);
    }
    return true;
  }
};

template <floating T, floating R, floating State>
struct form_for<exact_sum<T, R, State>> {
  using type = sum_form<exact_sum<T, R, State>>;
};

}  // namespace tally::device
