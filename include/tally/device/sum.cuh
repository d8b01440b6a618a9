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
  static constexpr int totals = number::digits + 3;  // and how many NaN, +inf, -inf there are
  static constexpr int words = slots_of_words<totals>;

  struct shared {
    typename exact_adder<T>::shared_type sum;
    unsigned long long total[totals];
  };
  using accumulator = exact_adder<T>;

  bool skips_nan;

  static std::size_t dynamic_bytes(unsigned threads) { return accumulator::dynamic_bytes(threads); }

  __device__ void start(accumulator&, shared& s) const {
    accumulator::start(s.sum);
    __syncthreads();
  }

  template <int size, class Index>
  __device__ void add(accumulator& acc, shared& s, T (&x)[size], std::uint64_t, Index) const {
    if (skips_nan)
      for (T& value : x) value = is_nan(value) ? T{} : value;
    acc.add(x, s.sum);
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
    gather(s);
    collect_words<totals>(s.total, slots, blocks, epoch);
    __syncthreads();
  }

  __device__ bool finish(accumulator const&, shared& s, std::uint64_t, R* out) const {
    if (gridDim.x == 1) gather(s);
    if (thread_index() >= warp_size) return true;
    digit_run digits(s.total, number::digits);
    if (thread_index() == 0) *out = rounded(s, digits);
    return true;
  }

 private:
  __device__ static std::uint64_t word(shared const& s, int i) {
    if (i < number::digits) return std::uint64_t(s.sum.digits.digit(i));
    return i == number::digits       ? s.sum.nan
           : i == number::digits + 1 ? s.sum.positive_infinity
                                     : s.sum.negative_infinity;
  }
  __device__ static void gather(shared& s) {
    for (int i = thread_index(); i < totals; i += thread_count()) s.total[i] = word(s, i);
    __syncthreads();
  }
  __device__ static R rounded(shared const& s, digit_run& digits) {
    auto const special = s.total + number::digits;
    if (special[0] || (special[1] && special[2])) return quiet_nan<R>();
    if (special[1] || special[2]) return infinity<R>(special[2] != 0);
    return digits.round<R>(number::lsb);
  }
};

}  // namespace tally::device

namespace tally::detail {

template <floating T, floating R, floating State>
auto form_on_device(exact_sum<T, R, State> const&, bool skips_nan) {
  return device::sum_form<T, R>{skips_nan};
}

}  // namespace tally::detail
