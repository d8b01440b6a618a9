// SPDX-License-Identifier: Apache-2.0
//
// How blocks compute exact sums: the form (plain.cuh) of exact_sum.
#pragma once

#include "tally/aggregate/sum.hpp"
#include "tally/device/exact.cuh"
#include "tally/device/round.cuh"
#include "tally/device/words.cuh"

namespace tally::device {

template <floating T, floating R>
struct sum_form {
  using element = T;
  using result = R;
  using number = typename exact_adder<T>::number;
  static constexpr int threads = 384, blocks_a_multiprocessor = 2;
  static constexpr int totals = number::digits + 3;  // and how many NaN, +inf, -inf there are
  static constexpr int words = slots_of_words<totals>;

  struct shared {
    typename exact_adder<T>::shared_type sum;
    unsigned long long digit[number::digits];  // for many of them
  };
  using accumulator = exact_adder<T>;

  bool skips_nan;

  static std::size_t dynamic_bytes(unsigned threads) { return accumulator::dynamic_bytes(threads); }

  __device__ void start(accumulator&, shared& s) const {
    accumulator::start(s.sum);
    __syncthreads();
  }

  template <class Batch, class Index>
  __device__ void add(accumulator& acc, shared& s, Batch& x, unsigned, Index) const {
    if (skips_nan) x.replace_nan_by_zero();
    acc.add(x, s.sum);
  }
  __device__ void add(accumulator& acc, shared& s, T x, std::uint64_t) const {
    if (!skips_nan || !is_nan(x)) acc.add_one(x, s.sum);
  }

  __device__ void close(accumulator& acc, shared& s) const {
    acc.close(s.sum);
    __syncthreads();
  }

  __device__ void publish(accumulator const&, shared& s, slot* at, std::uint32_t epoch) const {
    publish_words<totals>([&](int i) { return word(s, i); }, at, epoch);
  }

  __device__ void collect(accumulator&, shared& s, slot* slots, int blocks,
                          std::uint32_t epoch) const {
    auto const own = [&](int i) { return word(s, i); };
    collect_words<totals>(slots, blocks, epoch, own, [&](int i, std::int64_t sum) {
      if (i < number::digits)
        s.sum.digits.add_digit(i, sum);
      else if (threadIdx.x % warp_size == 0)
        atomicAdd(special(s, i - number::digits), int(sum != 0));
    });
    __syncthreads();
  }

  __device__ bool finish(accumulator const&, shared& s, std::uint64_t, R* out) const {
    if (threadIdx.x >= warp_size) return true;
    digit_run const run([&](int i) { return word(s, i); }, number::digits);
    bool const few = run.size() <= few_digits;
    if (!few) {
      for (int i = int(threadIdx.x); i < number::digits; i += warp_size) s.digit[i] = word(s, i);
      __syncwarp();
    }
    if (threadIdx.x != 0) return true;
    if (s.sum.nan || s.sum.positive_infinity || s.sum.negative_infinity) {
      bool const nan = s.sum.nan || (s.sum.positive_infinity && s.sum.negative_infinity);
      *out = nan ? quiet_nan<R>() : infinity<R>(s.sum.negative_infinity != 0);
    } else if (few) {
      auto const digit = [&](int i) { return i < run.size() ? s.sum.digits.digit(run.low + i) : 0; };
      *out = round_few<R>(digit(0), digit(1), digit(2), number::lsb + 32 * run.low);
    } else {
      *out = round_many<R>(s.digit, run, number::lsb);
    }
    return true;
  }

 private:
  __device__ static int* special(shared& s, int which) {
    return which == 0 ? &s.sum.nan : which == 1 ? &s.sum.positive_infinity : &s.sum.negative_infinity;
  }
  __device__ static std::uint64_t word(shared& s, int i) {
    return i < number::digits ? std::uint64_t(s.sum.digits.digit(i))
                              : std::uint64_t(*special(s, i - number::digits));
  }
};

}  // namespace tally::device

namespace tally::detail {

template <floating T, floating R, floating State>
auto form_on_device(exact_sum<T, R, State> const&, bool skips_nan) {
  return device::sum_form<T, R>{skips_nan};
}

}  // namespace tally::detail
